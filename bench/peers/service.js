// The service: fields and tasks of the owner whose API key a request has.
import { createHash } from 'node:crypto';
import Fastify from 'fastify';

const text = (maxLength) => ({ type: 'string', nullable: true, maxLength });
const decimal = { type: 'string', nullable: true };
const instant = { type: 'string', nullable: true };
const uuid = { type: 'string', format: 'uuid' };
const irrigation = ['drip', 'sprinkler', 'flood', 'pivot', 'manual', 'none'];

const field = {
  type: 'object',
  properties: {
    id: uuid, farmId: uuid, name: text(200), area: decimal, soilType: text(100), soilPh: decimal, status: text(20),
    notes: text(5000), description: text(2000),
    boundaries: { type: 'object', nullable: true, additionalProperties: true },
    irrigationFlowRatePerEmitter: decimal, emittersPerPlant: { type: 'integer', nullable: true },
    dripLineSpacingMeters: decimal, customIrrigationSystem: text(20), createdAt: instant, updatedAt: instant,
  },
};

const number = (type, minimum, maximum) => ({ type, minimum, maximum, nullable: true });

const newField = {
  type: 'object',
  required: ['name', 'area'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 200 },
    // A decimal in text, so that no digit is lost.
    area: { type: 'string', pattern: '^(?=.*[1-9])\\d{1,18}(\\.\\d{1,8})?$' },
    soilType: text(100),
    soilPh: number('number', 0, 14),
    status: { type: 'string', enum: ['active', 'fallow', 'preparing', 'planted'], default: 'active' },
    notes: text(5000),
    description: text(2000),
    boundaries: {
      type: 'object',
      nullable: true,
      required: ['type', 'coordinates'],
      properties: { type: { const: 'Polygon' }, coordinates: { type: 'array' } },
    },
    irrigationFlowRatePerEmitter: number('number', 0, 100),
    emittersPerPlant: number('integer', 0, 50),
    dripLineSpacingMeters: number('number', 0, 20),
    customIrrigationSystem: { type: 'string', enum: [...irrigation, null], nullable: true },
  },
};

const task = {
  type: 'object',
  properties: {
    id: uuid, farmId: uuid, title: text(200), description: text(2000), status: text(20), priority: text(20),
    category: text(50), dueDate: instant, startDate: instant, completedDate: instant, assignedTo: text(200),
    cropId: text(36), fieldId: text(36), blockId: text(36), fieldName: text(200), estimatedDuration: text(100),
    actualDuration: text(100), photoUrl: text(2048), gpsLat: { type: 'number', nullable: true },
    gpsLng: { type: 'number', nullable: true }, completionNotes: text(2000), notes: text(5000),
    sopTemplateId: text(36), recurringTaskId: text(36), createdBy: uuid, createdAt: instant, updatedAt: instant,
  },
};

const paging = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1, maximum: 1e9, default: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    order: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
  },
};

const pagination = {
  type: 'object',
  properties: Object.fromEntries(['page', 'limit', 'total', 'totalPages'].map((name) => [name, { type: 'integer' }])),
};

const pathOf = (...ids) => ({
  type: 'object',
  required: ids,
  properties: Object.fromEntries(ids.map((id) => [id, uuid])),
});

const one = (record) => ({ type: 'object', properties: { data: record } });
const many = (record) => ({ type: 'object', properties: { data: { type: 'array', items: record }, pagination } });

// The columns of a record, under the names of its members.
const columnsOf = (record, instead = {}) => Object.entries(record.properties).map(([member, schema]) => {
  const column = instead[member] ?? member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return `${schema === decimal ? `trim_scale(${column})::text` : column} as "${member}"`;
}).join(', ');

const fieldColumns = columnsOf(field);
const taskColumns = columnsOf(task, {
  status: `case when status in ('pending', 'in_progress') and due_date <= now() then 'overdue' else status end`,
});

// Each is prepared once per connection, under its name.
const statements = {
  key: `select owner_id as owner, scopes from api_keys
        where hash = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
  createField: `insert into fields (farm_id, name, area, soil_type, soil_ph, status, notes, description, boundaries,
                  irrigation_flow_rate_per_emitter, emitters_per_plant, drip_line_spacing_meters,
                  custom_irrigation_system)
                select id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 from farms
                where id = $1 and owner_id = $2
                returning ${fieldColumns}`,
  getField: `select ${fieldColumns} from fields
             where id = $1 and farm_id = $2 and exists (select from farms where id = $2 and owner_id = $3)`,
  countTasks: 'select count(*)::int as total from tasks where owner_id = $1',
  tasksAsc: `select ${taskColumns} from tasks where owner_id = $1 order by created_at, id limit $2 offset $3`,
  tasksDesc: `select ${taskColumns} from tasks where owner_id = $1
              order by created_at desc, id desc limit $2 offset $3`,
};

class Refusal extends Error {
  constructor(statusCode, code, message) {
    super(message);
    Object.assign(this, { statusCode, code });
  }
}

const found = (row) => {
  if (!row) throw new Refusal(404, 'NOT_FOUND', 'There is no such record.');
  return row;
};

export function service(pool) {
  const app = Fastify({ logger: { level: 'warn' } });
  const run = async (name, ...values) => (await pool.query({ name, text: statements[name], values })).rows;

  app.decorateRequest('owner', null);

  const allowed = (scope) => async (request) => {
    const [kind, key] = (request.headers.authorization ?? '').split(' ');
    if (kind !== 'Bearer' || !key) throw new Refusal(401, 'MISSING_API_KEY', 'Send an API key.');
    const [known] = await run('key', createHash('sha256').update(key).digest());
    if (!known) throw new Refusal(401, 'INVALID_API_KEY', 'The API key is not valid.');
    if (!known.scopes.includes('all') && !known.scopes.includes(scope)) {
      throw new Refusal(403, 'INSUFFICIENT_SCOPE', `The API key lacks ${scope}.`);
    }
    request.owner = known.owner;
  };

  app.setErrorHandler((error, request, reply) => {
    const status = error.validation ? 400 : error.statusCode ?? 500;
    if (status >= 500) request.log.error(error);
    reply.code(status).send({
      code: error.validation ? 'VALIDATION_ERROR' : error.code ?? 'INTERNAL_ERROR',
      message: status >= 500 ? 'Something went wrong.' : error.message,
    });
  });

  app.post('/api/v1/farms/:farmId/fields', {
    onRequest: allowed('fields:write'),
    schema: { params: pathOf('farmId'), body: newField, response: { 201: one(field) } },
  }, async (request, reply) => {
    const { farmId } = request.params;
    const it = request.body;
    const rows = await run('createField', farmId, request.owner, it.name, it.area, it.soilType, it.soilPh, it.status,
      it.notes, it.description, it.boundaries, it.irrigationFlowRatePerEmitter, it.emittersPerPlant,
      it.dripLineSpacingMeters, it.customIrrigationSystem);
    const data = found(rows[0]);
    reply.code(201).header('location', `/api/v1/farms/${farmId}/fields/${data.id}`);
    return { data };
  });

  app.get('/api/v1/farms/:farmId/fields/:fieldId', {
    onRequest: allowed('fields:read'),
    schema: { params: pathOf('farmId', 'fieldId'), response: { 200: one(field) } },
  }, async (request) => {
    const { farmId, fieldId } = request.params;
    const rows = await run('getField', fieldId, farmId, request.owner);
    return { data: found(rows[0]) };
  });

  app.get('/api/v1/tasks', {
    onRequest: allowed('tasks:read'),
    schema: { querystring: paging, response: { 200: many(task) } },
  }, async (request) => {
    const { page, limit, order } = request.query;
    const [data, [{ total }]] = await Promise.all([
      run(order === 'asc' ? 'tasksAsc' : 'tasksDesc', request.owner, limit, (page - 1) * limit),
      run('countTasks', request.owner),
    ]);
    return { data, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
  });

  return app;
}

-- The tables of the service, with the indexes that its queries use.

create table owners (
  id uuid primary key default gen_random_uuid(),
  email text not null unique
);

create table api_keys (
  hash bytea primary key,  -- SHA-256; the key itself is not stored
  owner_id uuid not null references owners on delete cascade,
  scopes text[] not null,
  expires_at timestamptz,
  revoked_at timestamptz
);

create table farms (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references owners on delete cascade,
  name text not null,
  created_at timestamptz not null default now(),
  unique (owner_id, name)
);

create table fields (
  id uuid primary key default gen_random_uuid(),
  farm_id uuid not null references farms on delete cascade,
  name text not null,
  area numeric(26, 8) not null check (area > 0),
  soil_type text,
  soil_ph numeric(10, 8),
  status text not null default 'active',
  notes text,
  description text,
  boundaries jsonb,
  irrigation_flow_rate_per_emitter numeric(11, 8),
  emitters_per_plant integer,
  drip_line_spacing_meters numeric(10, 8),
  custom_irrigation_system text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index fields_of_a_farm on fields (farm_id, created_at, id);

create table tasks (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references owners on delete cascade,
  farm_id uuid not null references farms on delete cascade,
  title text not null,
  description text,
  status text not null default 'pending',
  priority text not null default 'medium',
  category text not null,
  due_date timestamptz,
  start_date timestamptz,
  completed_date timestamptz,
  assigned_to text,
  crop_id uuid,
  field_id uuid references fields on delete set null,
  block_id uuid,
  field_name text,
  estimated_duration text,
  actual_duration text,
  photo_url text,
  gps_lat double precision,
  gps_lng double precision,
  completion_notes text,
  notes text,
  sop_template_id uuid,
  recurring_task_id uuid,
  created_by uuid not null references owners,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index tasks_of_an_owner on tasks (owner_id, created_at, id);
create index tasks_of_a_farm on tasks (farm_id, created_at, id);
create index tasks_by_due_date on tasks (owner_id, due_date, id);
create index tasks_of_a_field on tasks (field_id) where field_id is not null;

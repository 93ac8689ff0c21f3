// Starts the service in PROCESSES processes that share one port, and prints the address. PGHOST, PGUSER and PGDATABASE
// say where the database is.
import cluster from 'node:cluster';
import pg from 'pg';
import { service } from './service.js';

const processes = Number(process.env.PROCESSES ?? 1);

if (cluster.isPrimary) {
  let listening = 0;
  cluster.on('listening', (worker, { address, port }) => {
    if (++listening === processes) console.log(`${address}:${port}`);
  });
  cluster.on('exit', () => process.exit(1));
  for (let started = 0; started < processes; ++started) cluster.fork();
  process.on('SIGTERM', () => process.exit(0));
} else {
  const pool = new pg.Pool({ max: Math.max(2, Math.ceil(20 / processes)) });
  const app = service(pool);
  app.addHook('onClose', () => pool.end());
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.on('SIGTERM', () => app.close());
  process.on('disconnect', () => process.exit(0));
}

// Terminals: the tour reads, closes and opens them, with a supervisor. The rail changes one too.
import { askRail } from './payers.ts';
import type { Tour } from './recorder.ts';

const TERMINAL = '/api/terminals/demo-pos';

export async function walkTerminals(tour: Tour): Promise<void> {
  const { call } = tour;
  const whole = { prefer: 'return=representation' };
  const move = async (target: string, status: number, options: object = whole) => {
    await call(target, status, options);
    await tour.pass();
  };
  const set = async (change: object) => {
    await askRail(tour, '/terminals/demo-pos', change, 'PUT');
    await tour.pass();
  };
  await move(`GET ${TERMINAL}`, 200);
  await move(`GET ${TERMINAL}`, 200, {});
  await move('GET /api/terminals/other-pos', 404);
  await move(`GET ${TERMINAL}/close`, 200);
  await move(`GET ${TERMINAL}/open`, 200);
  await move(`GET ${TERMINAL}/open`, 400, { headers: { 'sec-purpose': 'prefetch' } });
  await move(`HEAD ${TERMINAL}/open`, 405);
  await move(`GET ${TERMINAL}/close?supervisorId=${'x'.repeat(65)}`, 400);
  await set({ supervisors: ['chefe'] });
  await move(`GET ${TERMINAL}/close`, 400);
  await move(`GET ${TERMINAL}/close?supervisorId=outro`, 403);
  await move(`GET ${TERMINAL}/close?supervisorId=chefe`, 200);
  await set({ supervisors: [], status: 'OPEN', notify: true });
  await set({ status: 'CLOSED', notify: true });
  await set({ status: 'OPEN', notify: true });
}

// Terminals: read, closed, opened, with a supervisor; moved by the rail itself; refused.
import { askRail } from './payers.ts';
import type { Tour } from './recorder.ts';

const TERMINAL = '/api/terminals/demo-pos';

export async function walkTerminals(tour: Tour): Promise<void> {
  const { call } = tour;
  const whole = { headers: { prefer: 'return=representation' } };
  const move = async (step: string, target: string, options: object = whole) => {
    await call(step, target, options);
    await tour.pass();
  };
  const set = async (change: object) => {
    await askRail(tour, '/terminals/demo-pos', change, 'PUT');
    await tour.pass();
  };
  await move('a terminal', `GET ${TERMINAL}`);
  await move('a terminal, in short', `GET ${TERMINAL}`, {});
  await move('another’s terminal', 'GET /api/terminals/other-pos');
  await move('a terminal is closed', `GET ${TERMINAL}/close`);
  await move('a terminal is closed again', `GET ${TERMINAL}/close`);
  await move('a terminal is opened', `GET ${TERMINAL}/open`);
  await move('a terminal is opened ahead of a person', `GET ${TERMINAL}/open`, {
    headers: { 'sec-purpose': 'prefetch' },
  });
  await move('a terminal is opened by HEAD', `HEAD ${TERMINAL}/open`);
  await move('a terminal with a fault', `GET ${TERMINAL}/close?supervisorId=${'x'.repeat(65)}`);
  await set({ supervisors: ['chefe'] });
  await move('a terminal without its supervisor', `GET ${TERMINAL}/close`);
  await move('a terminal with a wrong supervisor', `GET ${TERMINAL}/close?supervisorId=outro`);
  await move('a terminal with its supervisor', `GET ${TERMINAL}/close?supervisorId=chefe`);
  await set({ supervisors: [], status: 'OPEN', notify: true });
  await move('a terminal that the rail opened', `GET ${TERMINAL}`);
  await set({ status: 'CLOSED', notify: true });
  await move('a terminal that the rail closed', `GET ${TERMINAL}`);
  await set({ status: 'OPEN', notify: true });
}

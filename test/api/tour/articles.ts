// Articles: the tour creates, changes, lists and deletes them.
import type { Tour } from './recorder.ts';

const ARTICLES = '/api/articles';
const body = { name: 'Café', price: 350, currency: 'AOA' };

export async function walkArticles(tour: Tour): Promise<void> {
  const { call } = tour;
  const { json } = await call(`POST ${ARTICLES}`, 201, { body });
  await call(`POST ${ARTICLES}`, 409, { body });
  await call(`POST ${ARTICLES}`, 400, { body: { name: '', price: 0, currency: 'AOA', position: 0 } });
  const path = `${ARTICLES}/${json.id}`;
  await call(`PUT ${path}`, 200, { body: { price: 400 } });
  await call(`PUT ${path}`, 400, { body: { price: 0.001 } });
  await call(`PUT ${path}`, 404, { body: { price: 400 }, token: await tour.strangerToken() });
  await call(`GET ${ARTICLES}?isActive=true`, 200);
  await call(`DELETE ${path}`, 204);
  await call(`DELETE ${path}`, 404);
}

// Personal data of a contact: the tour exports and erases it.
import type { Tour } from './recorder.ts';

const PATH = '/api/privacy';

export async function walkPrivacy(tour: Tour): Promise<void> {
  const { call } = tour;
  const body = { phone: '911 000 777' };
  await call('POST /api/Contactos/CadastrarContacto', 201, { body: { nome: 'Domingas', telefone: body.phone } });
  await call(`POST ${PATH}/export`, 200, { body });
  const ordered = await call(`POST ${PATH}/erase`, 202, { body });
  await call(`POST ${PATH}/erase`, 400, { body: {} });
  await tour.pass();
  await call(`GET ${PATH}/erasures/${ordered.json.id}`, 200);
  await call(`GET ${PATH}/erasures/${ordered.json.id}`, 404, { token: await tour.strangerToken() });
}

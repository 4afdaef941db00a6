// One person's data: what is held of a contact, their erasure, and how far it is.
import type { Tour } from './recorder.ts';

const PATH = '/api/privacy';

export async function walkPrivacy(tour: Tour): Promise<void> {
  const { call } = tour;
  const body = { phone: '911 000 777' };
  await call('a contact of theirs', 'POST /api/Contactos/CadastrarContacto', {
    body: { nome: 'Domingas', telefone: body.phone },
  });
  await call('what is held of them', `POST ${PATH}/export`, { body });
  const ordered = await call('their erasure', `POST ${PATH}/erase`, { body });
  await call('their erasure again', `POST ${PATH}/erase`, { body });
  await call('an erasure of nobody', `POST ${PATH}/erase`, { body: {} });
  await call('the erasure', `GET ${PATH}/erasures/${ordered.json.id}`);
  await call('the erasure to another', `GET ${PATH}/erasures/${ordered.json.id}`, {
    token: await tour.strangerToken(),
  });
}

import { expect, test } from 'vitest';
import { DEMO } from '../../../sandbox/seed.ts';
import { startTestApp } from '../../support/app.ts';
import { RECEIVER_ENV } from '../../support/receiver.ts';

const app = await startTestApp({ env: RECEIVER_ENV });
const twin = await app.startTwin();

const URL = 'http://127.0.0.1:9/';

type Edited = { path: string; writePath?: string; change(text: string): object; field: string };

const EDITED: Record<string, () => Promise<Edited>> = {
  merchant: async () => ({ path: `/api/merchants/${DEMO.merchantId}`, change: (name) => ({ name }), field: 'name' }),
  webhook: async () => {
    const { json } = await app.call('/api/webhooks', { body: { url: URL } });
    return {
      path: `/api/webhooks/${json.id}`,
      change: (description) => ({ url: URL, description }),
      field: 'description',
    };
  },
  contact: async () => {
    const change = (nome: string) => ({ nome, telefone: '923456789' });
    const { json } = await app.call('/api/Contactos/CadastrarContacto', { body: change('Zita') });
    const at = (way: string) => `/api/Contactos/${way}/${json.contactoId}`;
    return { path: at('ObterContactoPorId'), writePath: at('AtualizarContacto'), change, field: 'nome' };
  },
  template: async () => {
    const change = (nome: string) => ({ nome, conteudo: 'Olá' });
    const { json } = await app.call('/api/TemplatesSMS/CriarTemplate', { body: change('Velho') });
    const at = (way: string) => `/api/TemplatesSMS/${way}/${json.id}`;
    return { path: at('ObterTemplatesSmsPorId'), writePath: at('AtualizarTemplate'), change, field: 'nome' };
  },
};

test.each(Object.entries(EDITED))(
  'of four concurrent PUT requests with one ETag of a %s, one returns 200 and the others return 412',
  async (_what, open) => {
    const { path, writePath = path, change, field } = await open();
    for (let round = 0; round < 10; round++) {
      const etag = (await app.call(path)).headers.get('etag')!;
      const sent = await Promise.all(
        [app, twin, app, twin].map(async (node, nth) => {
          const text = `${round}-${nth}`;
          const { status } = await node.call(writePath, {
            method: 'PUT',
            body: change(text),
            headers: { 'if-match': etag },
          });
          return { status, text };
        }),
      );
      expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
      const { json } = await app.call(path);
      expect(json[field]).toBe(sent.find(({ status }) => status === 200)?.text);
    }
  },
);

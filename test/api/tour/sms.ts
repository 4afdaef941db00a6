// SMS: the account, contacts, contact lists, templates and opt-outs.
import type { Tour } from './recorder.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000099';

export async function walkContactsAndTemplates(tour: Tour): Promise<void> {
  await walkAccount(tour);
  await walkContacts(tour);
  await walkLists(tour);
  await walkTemplates(tour);
  await walkOptOuts(tour);
}

async function walkOptOuts({ call }: Tour): Promise<void> {
  const path = '/api/sms/opt-outs';
  const { json } = await call(`POST ${path}`, 201, { body: { phone: '923 456 777' } });
  await call(`POST ${path}`, 200, { body: { phone: '+244923456777' } });
  await call(`POST ${path}`, 400, { body: { phone: '12' } });
  await call(`GET ${path}`, 200);
  await call(`DELETE ${path}/${json.id}`, 204);
  await call(`DELETE ${path}/${json.id}`, 404);
}

async function walkAccount({ call }: Tour): Promise<void> {
  await call('GET /api/ContaSms/ObterConta', 200);
  await call('GET /api/ContaSms/ObterSaldo', 200);
  await call('PUT /api/ContaSms/AtualizarRemetente', 200, { body: { nomeremetenteSms: 'LOJA' } });
  await call('PUT /api/ContaSms/AtualizarRemetente', 400, { body: { nomeremetenteSms: '12345' } });
}

async function walkContacts(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const path = '/api/Contactos';
  const ana = { nome: 'Ana', telefone: '923456789' };
  const { json } = await call(`POST ${path}/CadastrarContacto`, 201, { body: ana });
  await call(`POST ${path}/CadastrarContacto`, 201, { body: ana });
  await call(`POST ${path}/CadastrarContacto`, 400, { body: { nome: '', telefone: '12' } });
  const eva = await call(`POST ${path}/CadastrarContacto`, 201, {
    body: { nome: 'Eva', telefone: '+244 923 456 780' },
  });
  const gone = await call(`POST ${path}/CadastrarContacto`, 201, { body: { nome: 'Ivo', telefone: '923456781' } });
  made['contacts'] = [json.contactoId, eva.json.contactoId];
  const one = `${path}/AtualizarContacto/${json.contactoId}`;
  await call(`PUT ${one}`, 200, { body: { ...ana, nome: 'Ana Domingos' } });
  await call(`PUT ${path}/AtualizarContacto/${UNKNOWN}`, 404, { body: ana });
  await call(`POST ${path}/ImportarContactos`, 200, {
    body: { contactos: [ana, { nome: 'Ngola', telefone: '923456782' }], novaLista: 'Da folha' },
  });
  await call(`POST ${path}/ImportarContactos`, 400, {
    body: { contactos: [ana, { nome: '', telefone: '12' }], listaId: UNKNOWN, novaLista: 'Da folha' },
  });
  await call(`POST ${path}/ImportarContactos`, 404, { body: { contactos: [ana], listaId: UNKNOWN } });
  await call(`GET ${path}/ListarContactos?pageSize=2`, 200);
  await call(`GET ${path}/ObterContactoPorId/${json.contactoId}`, 200);
  await call(`GET ${path}/ObterContactoPorId/${json.contactoId}`, 404, { token: await tour.strangerToken() });
  await call(`DELETE ${path}/DeletarContacto/${gone.json.contactoId}`, 200);
  await call(`DELETE ${path}/DeletarContacto/${gone.json.contactoId}`, 404);
}

async function walkLists(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const path = '/api/Contactos';
  const [ana, eva] = made['contacts'];
  await call(`POST ${path}/CriarListaDeContactos`, 400, { body: { nome: '', contactoIds: ['x'] } });
  await call(`POST ${path}/CriarListaDeContactos`, 404, { body: { nome: 'VIP', contactoIds: [UNKNOWN] } });
  const { json } = await call(`POST ${path}/CriarListaDeContactos`, 201, { body: { nome: 'VIP', contactoIds: [ana] } });
  made['list'] = json.listaId;
  const add = { listaId: json.listaId, contactoId: eva };
  await call(`POST ${path}/AdicionarContactoALista`, 200, { body: add });
  await call(`POST ${path}/AdicionarContactoALista`, 404, { body: { ...add, listaId: UNKNOWN } });
  await call(`GET ${path}/ObterListaDeContactosPorId/${json.listaId}?pageSize=10`, 200);
  await call(`GET ${path}/ObterListaDeContactosPorId/${json.listaId}`, 404, { token: await tour.strangerToken() });
  await call(`DELETE ${path}/RemoverContactoDaLista/${json.listaId}/${eva}`, 200);
  await call(`DELETE ${path}/RemoverContactoDaLista/${json.listaId}/${eva}`, 404);
  const gone = await call(`POST ${path}/CriarListaDeContactos`, 201, { body: { nome: 'Antigos' } });
  await call(`GET ${path}/ListarListasDeContactos`, 200);
  await call(`DELETE ${path}/DeletarListaDeContactos/${gone.json.listaId}`, 200);
  await call(`DELETE ${path}/DeletarListaDeContactos/${gone.json.listaId}`, 404);
}

async function walkTemplates(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const path = '/api/TemplatesSMS';
  const body = { nome: 'Encomenda pronta', conteudo: 'Ola {{nome}}, a encomenda {{numero}} esta pronta.' };
  await call(`POST ${path}/CriarTemplate`, 400, { body: { nome: '', conteudo: '{{' } });
  const { json } = await call(`POST ${path}/CriarTemplate`, 201, { body });
  made['template'] = json.id;
  const gone = await call(`POST ${path}/CriarTemplate`, 201, { body: { nome: 'Velho', conteudo: 'Olá' } });
  await call(`PUT ${path}/AtualizarTemplate/${json.id}`, 200, { body: { ...body, nome: 'Pronta' } });
  await call(`PUT ${path}/AtualizarTemplate/${UNKNOWN}`, 404, { body });
  await call(`GET ${path}/ObterTemplatesSmsPorId/${json.id}`, 200);
  await call(`GET ${path}/ObterTemplatesSmsPorId/${json.id}`, 404, { token: await tour.strangerToken() });
  await call(`GET ${path}/ListarTemplates`, 200);
  await call(`GET ${path}/pesquisarTemplateSMSporData?dia=2&mes=3&ano=2026`, 200);
  await call(`GET ${path}/pesquisarTemplateSMSporData?dia=31&mes=2&ano=2026`, 400);
  await call(`DELETE ${path}/DeletarTemplate/${gone.json.id}`, 200);
  await call(`DELETE ${path}/DeletarTemplate/${gone.json.id}`, 404);
}

// What SMS are written with: the account, contacts, lists of them, templates.
import type { Tour } from './recorder.ts';

const nobody = '00000000-0000-4000-8000-000000000099';

export async function walkSmsBook(tour: Tour): Promise<void> {
  await walkAccount(tour);
  await walkContacts(tour);
  await walkLists(tour);
  await walkTemplates(tour);
  await walkOptOuts(tour);
}

async function walkOptOuts({ call }: Tour): Promise<void> {
  const path = '/api/sms/opt-outs';
  const { json } = await call('a refusal is written down', `POST ${path}`, { body: { phone: '923 456 777' } });
  await call('a refusal again', `POST ${path}`, { body: { phone: '+244923456777' } });
  await call('a refusal of no number', `POST ${path}`, { body: { phone: '12' } });
  await call('the refusals', `GET ${path}`);
  await call('a refusal is taken back', `DELETE ${path}/${json.id}`);
  await call('a refusal that is gone', `DELETE ${path}/${json.id}`);
}

async function walkAccount({ call }: Tour): Promise<void> {
  await call('the SMS account', 'GET /api/ContaSms/ObterConta');
  await call('the SMS balance', 'GET /api/ContaSms/ObterSaldo');
  await call('the sender is changed', 'PUT /api/ContaSms/AtualizarRemetente', { body: { nomeremetenteSms: 'LOJA' } });
  await call('the sender with a fault', 'PUT /api/ContaSms/AtualizarRemetente', {
    body: { nomeremetenteSms: '12345' },
  });
}

async function walkContacts(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const path = '/api/Contactos';
  const ana = { nome: 'Ana', telefone: '923456789' };
  const headers = { 'idempotency-key': 'contact-1' };
  const { json } = await call('a contact', `POST ${path}/CadastrarContacto`, { body: ana, headers });
  await call('a contact by the same key', `POST ${path}/CadastrarContacto`, { body: ana, headers });
  await call('a contact again', `POST ${path}/CadastrarContacto`, { body: ana });
  await call('a contact with faults', `POST ${path}/CadastrarContacto`, { body: { nome: '', telefone: '12' } });
  const eva = await call('another contact', `POST ${path}/CadastrarContacto`, {
    body: { nome: 'Eva', telefone: '+244 923 456 780' },
  });
  const gone = await call('a contact to go', `POST ${path}/CadastrarContacto`, {
    body: { nome: 'Ivo', telefone: '923456781' },
  });
  made['contacts'] = [json.contactoId, eva.json.contactoId];
  const one = `${path}/AtualizarContacto/${json.contactoId}`;
  await call('a contact is changed', `PUT ${one}`, { body: { ...ana, nome: 'Ana Domingos' } });
  await call('a contact with the number of another', `PUT ${one}`, { body: { nome: 'Ana', telefone: '923456780' } });
  await call('a contact that is none is changed', `PUT ${path}/AtualizarContacto/${nobody}`, { body: ana });
  await call('contacts from a table', `POST ${path}/ImportarContactos`, {
    body: { contactos: [ana, { nome: 'Ngola', telefone: '923456782' }], novaLista: 'Da folha' },
  });
  await call('contacts from a table with faults', `POST ${path}/ImportarContactos`, {
    body: { contactos: [ana, { nome: '', telefone: '12' }], listaId: nobody, novaLista: 'Da folha' },
  });
  await call('contacts onto a list that is none', `POST ${path}/ImportarContactos`, {
    body: { contactos: [ana], listaId: nobody },
  });
  await call('the contacts', `GET ${path}/ListarContactos?pageSize=2`);
  await call('the contacts by name and number', `GET ${path}/ListarContactos?nome=ana&telefone=923%20456%20789`);
  await call('a contact by its id', `GET ${path}/ObterContactoPorId/${json.contactoId}`);
  await call('another’s contact', `GET ${path}/ObterContactoPorId/${json.contactoId}`, {
    token: await tour.strangerToken(),
  });
  await call('a contact is removed', `DELETE ${path}/DeletarContacto/${gone.json.contactoId}`);
  await call('a contact is removed again', `DELETE ${path}/DeletarContacto/${gone.json.contactoId}`);
}

async function walkLists(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const path = '/api/Contactos';
  const [ana, eva] = made['contacts'];
  await call('a list with faults', `POST ${path}/CriarListaDeContactos`, { body: { nome: '', contactoIds: ['x'] } });
  await call('a list with a contact that is none', `POST ${path}/CriarListaDeContactos`, {
    body: { nome: 'VIP', contactoIds: [nobody] },
  });
  const { json } = await call('a list', `POST ${path}/CriarListaDeContactos`, {
    body: { nome: 'VIP', contactoIds: [ana] },
  });
  made['list'] = json.listaId;
  const add = { listaId: json.listaId, contactoId: eva };
  await call('a contact comes onto a list', `POST ${path}/AdicionarContactoALista`, { body: add });
  await call('a contact comes onto a list again', `POST ${path}/AdicionarContactoALista`, { body: add });
  await call('a contact comes onto a list that is none', `POST ${path}/AdicionarContactoALista`, {
    body: { ...add, listaId: nobody },
  });
  await call('a list by its id', `GET ${path}/ObterListaDeContactosPorId/${json.listaId}?pageSize=10`);
  await call('another’s list', `GET ${path}/ObterListaDeContactosPorId/${json.listaId}`, {
    token: await tour.strangerToken(),
  });
  await call('a contact leaves a list', `DELETE ${path}/RemoverContactoDaLista/${json.listaId}/${eva}`);
  await call('a contact leaves a list again', `DELETE ${path}/RemoverContactoDaLista/${json.listaId}/${eva}`);
  const gone = await call('a list to go', `POST ${path}/CriarListaDeContactos`, { body: { nome: 'Antigos' } });
  await call('the lists', `GET ${path}/ListarListasDeContactos`);
  await call('a list is removed', `DELETE ${path}/DeletarListaDeContactos/${gone.json.listaId}`);
  await call('a list is removed again', `DELETE ${path}/DeletarListaDeContactos/${gone.json.listaId}`);
}

async function walkTemplates(tour: Tour): Promise<void> {
  const { call, made } = tour;
  const path = '/api/TemplatesSMS';
  const body = { nome: 'Encomenda pronta', conteudo: 'Ola {{nome}}, a encomenda {{numero}} esta pronta.' };
  await call('a template with faults', `POST ${path}/CriarTemplate`, { body: { nome: '', conteudo: '{{' } });
  const { json } = await call('a template', `POST ${path}/CriarTemplate`, { body });
  made['template'] = json.id;
  const gone = await call('a template to go', `POST ${path}/CriarTemplate`, {
    body: { nome: 'Velho', conteudo: 'Olá' },
  });
  await call('a template is changed', `PUT ${path}/AtualizarTemplate/${json.id}`, {
    body: { ...body, nome: 'Pronta' },
  });
  await call('a template that is none is changed', `PUT ${path}/AtualizarTemplate/${nobody}`, { body });
  await call('a template by its id', `GET ${path}/ObterTemplatesSmsPorId/${json.id}`);
  await call('another’s template', `GET ${path}/ObterTemplatesSmsPorId/${json.id}`, {
    token: await tour.strangerToken(),
  });
  await call('the templates', `GET ${path}/ListarTemplates`);
  await call('the templates of a day', `GET ${path}/pesquisarTemplateSMSporData?dia=2&mes=3&ano=2026`);
  await call('the templates of no day', `GET ${path}/pesquisarTemplateSMSporData?dia=31&mes=2&ano=2026`);
  await call('a template is removed', `DELETE ${path}/DeletarTemplate/${gone.json.id}`);
  await call('a template is removed again', `DELETE ${path}/DeletarTemplate/${gone.json.id}`);
}

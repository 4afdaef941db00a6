import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, until, type Reply, type TestApp } from '../../support/app.ts';
import { countWaiting, holdLock } from '../../support/locks.ts';
import { findOrphans, openContactFixture, type ContactFixture } from '../../support/sms.ts';

let app: TestApp;
let fixture: ContactFixture;
let listId: string;
let contactId: string;
beforeAll(async () => {
  app = await startTestApp({ env: { DATABASE_POOL: '30' } });
});
beforeEach(async () => {
  fixture = await openContactFixture(app);
  contactId = (await fixture.contact()).contactoId;
  listId = (await fixture.list()).listaId;
});

type Step = {
  run: () => Promise<Reply>;
  /** Part of the SQL statement that waits for the lock. */
  text: string;
};

const ADD: Step = { run: () => fixture.add(listId, contactId), text: 'for key share' };
const ADD_TO: Step = { run: () => fixture.add(listId, contactId), text: 'from "sms_lists"' };
const CREATE: Step = {
  run: () => fixture.call('CriarListaDeContactos', { body: { nome: 'Nova', contactoIds: [contactId] } }),
  text: 'for key share',
};
const DELETE: Step = {
  run: () => fixture.call(`DeletarContacto/${contactId}`, { method: 'DELETE' }),
  text: 'delete from sms_contacts',
};
const DELETE_LIST: Step = {
  run: () => fixture.call(`DeletarListaDeContactos/${listId}`, { method: 'DELETE' }),
  text: 'delete from sms_lists',
};

/** Starts each step once the previous one waits for the lock, then releases the lock. */
async function runInTurn(lock: string, steps: Step[]): Promise<Reply[]> {
  const release = await holdLock(app.databaseUrl, lock);
  const running: Promise<Reply>[] = [];
  try {
    for (const { run, text } of steps) {
      const before = await countWaiting(app.databaseUrl, text);
      running.push(run());
      await until(async () => (await countWaiting(app.databaseUrl, text)) > before, `“${text}” waiting`);
    }
  } finally {
    await release();
  }
  return Promise.all(running);
}

const statusesOf = (replies: Reply[]) => replies.map(({ status }) => status);
const lockContact = () => `select from sms_contacts where id = '${contactId}' for update`;
const lockList = () => `select from sms_lists where id = '${listId}' for update`;
/** Blocks changes of contact list entries. */
const LOCK_ENTRIES = 'lock table sms_list_contacts in share mode';

describe('the deletion of a contact', () => {
  test.each([
    ['an addition', ADD, 200],
    ['a new list with it', CREATE, 201],
  ])('after %s removes the contact from the list', async (_name, addition, added) => {
    expect(statusesOf(await runInTurn(lockContact(), [addition, DELETE]))).toEqual([added, 200]);
    expect(await findOrphans(app)).toEqual([]);
  });

  test.each([
    ['an addition', ADD, '/contactoId'],
    ['a new list with it', CREATE, '/contactoIds/0'],
  ])('before %s makes the contact unknown', async (_name, addition, pointer) => {
    const [gone, refused] = (await runInTurn(lockContact(), [DELETE, addition])) as [Reply, Reply];
    expect([gone.status, refused.status]).toEqual([200, 404]);
    expect(refused.json.errors).toMatchObject([{ pointer, code: 'unknown_id' }]);
    expect(await findOrphans(app)).toEqual([]);
  });

  test.each([
    ['an addition', { ...ADD, text: 'insert into "sms_list_contacts"' }, 200],
    ['a new list with it', { ...CREATE, text: 'insert into sms_list_contacts' }, 201],
  ])('during %s waits, then removes the contact from the list', async (_name, addition, added) => {
    expect(statusesOf(await runInTurn(LOCK_ENTRIES, [addition, DELETE]))).toEqual([added, 200]);
    expect(await findOrphans(app)).toEqual([]);
    const { json } = await fixture.call('ListarListasDeContactos');
    expect(json.data.map(({ totalContactos }: any) => totalContactos)).not.toContain(1);
  });
});

describe('the deletion of a contact list', () => {
  test('after the addition of a contact deletes the new entry too', async () => {
    expect(statusesOf(await runInTurn(lockList(), [ADD_TO, DELETE_LIST]))).toEqual([200, 200]);
    expect(await findOrphans(app)).toEqual([]);
  });

  test('before the addition of a contact makes the list unknown', async () => {
    const [gone, refused] = (await runInTurn(lockList(), [DELETE_LIST, ADD_TO])) as [Reply, Reply];
    expect([gone.status, refused.status]).toEqual([200, 404]);
    expect(refused.json.errors).toMatchObject([{ pointer: '/listaId', code: 'unknown_id' }]);
    expect(await findOrphans(app)).toEqual([]);
  });

  test('waits for an addition that is in progress', async () => {
    const addition = { ...ADD, text: 'insert into "sms_list_contacts"' };
    expect(statusesOf(await runInTurn(LOCK_ENTRIES, [addition, DELETE_LIST]))).toEqual([200, 200]);
    expect(await findOrphans(app)).toEqual([]);
  });
});

describe('concurrent requests to change contact lists', () => {
  test('leave at most a thousand contacts on a contact list', async () => {
    const [first, ...rest] = (await fixture.contacts(1_007)) as [string, ...string[]];
    const { listaId } = await fixture.list('Quase cheia', rest.slice(0, 995));
    listId = listaId;
    const steps = [first, ...rest.slice(995)].map((id) => ({ ...ADD_TO, run: () => fixture.add(listaId, id) }));
    const replies = await runInTurn(lockList(), steps);
    expect(statusesOf(replies).toSorted()).toEqual([...Array(5).fill(200), ...Array(7).fill(409)]);
    expect((await fixture.show(listaId)).totalContactos).toBe(1_000);
  });

  test('add a contact to the list once', async () => {
    const replies = await runInTurn(lockList(), Array(8).fill(ADD_TO));
    expect(statusesOf(replies)).toEqual(Array(8).fill(200));
    const messages = replies.map(({ json }) => json.message).toSorted();
    expect(messages).toEqual(['Contacto adicionado à lista.', ...Array(7).fill('O contacto já estava na lista.')]);
    expect((await fixture.show(listId)).totalContactos).toBe(1);
  });

  test('remove a contact from the list once', async () => {
    await fixture.add(listId, contactId);
    const steps = Array(6).fill({ ...ADD_TO, run: () => fixture.remove(listId, contactId) });
    const replies = await runInTurn(lockList(), steps);
    expect(statusesOf(replies).toSorted()).toEqual([200, ...Array(5).fill(404)]);
  });

  test.each([
    ['a contact', (_lists: string[], [id]: string[]) => `DeletarContacto/${id}`],
    ['a list', ([id]: string[]) => `DeletarListaDeContactos/${id}`],
  ])('that delete %s lock the list entries in one order', async (_name, pathOf) => {
    const contacts = (await fixture.contacts(2)).toSorted();
    const lists = [await fixture.list('L'), await fixture.list('M')].map(({ listaId }) => listaId).toSorted();
    // PostgreSQL would otherwise find the last entries first.
    const places = lists.flatMap((list) => contacts.map((contact) => [list, contact]));
    for (const [list, contact] of places.toReversed())
      await app.sql('insert into sms_list_contacts values ($1, $2, $3)', [list, contact, app.clock.now()]);
    const [first, ...later] = places as [string[], ...string[][]];
    const release = await holdLock(
      app.databaseUrl,
      `select from sms_list_contacts where list_id = '${first[0]}' and contact_id = '${first[1]}' for update`,
    );
    const running = fixture.call(pathOf(lists, contacts), { method: 'DELETE' });
    try {
      const text = 'delete from sms_list_contacts';
      await until(async () => (await countWaiting(app.databaseUrl, text)) === 1, 'the deletion waiting');
      const free = await app.sql(
        `select list_id, contact_id from sms_list_contacts where list_id = any($1)
         order by list_id, contact_id for update skip locked`,
        [lists],
      );
      expect(free.map(({ list_id, contact_id }) => [list_id, contact_id])).toEqual(later);
    } finally {
      await release();
    }
    expect((await running).status).toBe(200);
    expect(await findOrphans(app)).toEqual([]);
  });

  test('of every kind leave no list entry without its list or contact', async () => {
    const contacts = await fixture.contacts(6);
    const lists = await Promise.all(
      Array.from({ length: 4 }, (_, nth) => fixture.list(`L${nth}`, contacts.slice(nth))),
    );
    const work = lists.flatMap(({ listaId }, l) =>
      contacts.flatMap((id, c) => [
        fixture.add(listaId, id),
        ...((l + c) % 3 === 0 ? [fixture.remove(listaId, id)] : []),
        ...(l === 0 && c % 2 === 0 ? [fixture.call(`DeletarContacto/${id}`, { method: 'DELETE' })] : []),
        ...(l === 3 && c === 2 ? [fixture.call(`DeletarListaDeContactos/${listaId}`, { method: 'DELETE' })] : []),
        fixture.call('CriarListaDeContactos', { body: { nome: 'Nova', contactoIds: [id, contacts[0]] } }),
      ]),
    );
    const statuses = new Set(statusesOf(await Promise.all(work)));
    expect([...statuses].filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
    expect(await findOrphans(app)).toEqual([]);
    const { json } = await fixture.call('ListarListasDeContactos?pageSize=100');
    for (const { listaId, totalContactos } of json.data)
      expect((await fixture.show(listaId)).contactos.data).toHaveLength(totalContactos);
  });
});

test.each(['on a list', 'alone'])('concurrent imports, %s, create each contact once', async (where) => {
  const isListed = where === 'on a list';
  const contactos = Array.from({ length: 50 }, (_, nth) => ({ nome: `P${nth}`, telefone: String(930_000_000 + nth) }));
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      fixture.call('ImportarContactos', { body: { contactos, ...(isListed && { listaId: listId }) } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(answers.reduce((sum, { json }) => sum + json.criados, 0)).toBe(50);
  expect((await fixture.show(listId)).totalContactos).toBe(isListed ? 50 : 0);
  expect(await findOrphans(app)).toEqual([]);
});

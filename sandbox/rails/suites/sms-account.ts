// What every connector of messages is held to: its settings and secrets, and what a try of the credentials tells.
import assert from 'node:assert/strict';
import type { ContractCase } from '../legacy.ts';
import { watchConnections } from '../rig.ts';
import { findFaults, makeOrder, NOBODY, reopen, SENDER, unpack } from '../sms-rig.ts';

/** The cases of settings and secrets, of the account's try, and of whom it reaches. @param host the provider's own */
export function describeSmsAccount<Book>(host: string): ContractCase<Book>[] {
  return [...listSchemaCases<Book>(), ...listProbeCases<Book>(), ...listReachCases<Book>(host)];
}

function listSchemaCases<Book>(): ContractCase<Book>[] {
  return [
    {
      name: 'opens a client for messages and no other',
      isLive: true,
      async run({ clients }) {
        assert.deepEqual(Object.keys(clients), ['sms']);
      },
    },
    {
      name: 'settings name a sender of 1 to 11 letters and digits with a letter, and nothing unknown',
      isLive: true,
      async run({ connector: { settings } }) {
        for (const sender of ['A', 'LOJAILHA', '2020Loja', 'Abcdefghijk'])
          assert.deepEqual(findFaults(settings, { sender }), []);
        for (const sender of ['', '20202020', 'Loja Ilha', 'Lojá', 'Abcdefghijkl', 7]) {
          assert.match(findFaults(settings, { sender }).join(), /^sender: /, String(sender));
        }
        assert.match(
          findFaults(settings, { sender: '2020' }).join(),
          /1 to 11 letters and digits, one letter at least/,
        );
        assert.match(findFaults(settings, {}).join(), /^sender: /);
        assert.match(findFaults(settings, { sender: SENDER, entity: '00999' }).join(), /entity/);
      },
    },
    {
      name: 'settings take a base URL of http or https, bare of query, fragment and user',
      isLive: true,
      async run({ connector: { settings } }) {
        const faultsOf = (baseUrl: unknown) => findFaults(settings, { sender: SENDER, baseUrl }).join();
        assert.equal(faultsOf('https://api.rail.ao'), '');
        assert.equal(faultsOf('http://127.0.0.1:4400/v1'), '');
        assert.match(faultsOf('ftp://api.rail.ao'), /must be an http or https URL/);
        assert.match(faultsOf('api.rail.ao'), /must be an http or https URL/);
        for (const bad of ['https://a.ao/?x=1', 'https://a.ao/#x', 'https://user:word@a.ao/']) {
          assert.match(faultsOf(bad), /must have no query, fragment or user/, bad);
        }
      },
    },
    {
      name: 'the key is one that a header can carry, and the only secret',
      isLive: true,
      async run({ connector: { secrets } }) {
        assert.deepEqual(findFaults(secrets, { apiKey: 'key-of-a-rail' }), []);
        for (const apiKey of ['', 'short', 'with space in it', 'line\nx-admin: true', 'chavé-secreta', null]) {
          assert.match(findFaults(secrets, { apiKey }).join(), /^apiKey: /, String(apiKey));
        }
        assert.match(findFaults(secrets, { apiKey: 'key-of-a-rail', password: 'x' }).join(), /password/);
      },
    },
  ];
}

function listProbeCases<Book>(): ContractCase<Book>[] {
  return [
    {
      name: 'a try of the credentials is fine with the right key',
      isLive: true,
      async run({ connector, account }) {
        assert.deepEqual(await connector.probe(account), { result: 'ok' });
      },
    },
    {
      name: 'a wrong key is told as one',
      isLive: true,
      async run(rig) {
        const { account } = reopen(rig, { secrets: { apiKey: 'not-the-key-at-all' } });
        const probe = await rig.connector.probe(account);
        assert.equal(probe.result, 'wrong_secret');
      },
    },
    {
      name: 'every status of a try has its word',
      async run(rig) {
        const { fake } = unpack(rig);
        const words: [number, string][] = [
          [301, 'wrong_host'],
          [402, 'not_allowed'],
          [403, 'not_allowed'],
          [404, 'wrong_host'],
          [429, 'no_connection'],
          [500, 'no_connection'],
          [503, 'no_connection'],
        ];
        for (const [status, word] of words) {
          fake.fault(status);
          const probe = await rig.connector.probe(rig.account);
          assert.equal(probe.result, word, String(status));
          assert.match('detail' in probe ? probe.detail : '', /^[A-Z].*\.$/);
        }
      },
    },
    {
      name: 'what answers a try with no JSON, or with far too much, is another host',
      async run(rig) {
        const { fake } = unpack(rig);
        for (const kind of ['garbage', 'oversize'] as const) {
          fake.fault(kind);
          assert.equal((await rig.connector.probe(rig.account)).result, 'wrong_host', kind);
        }
      },
    },
  ];
}

function listReachCases<Book>(host: string): ContractCase<Book>[] {
  return [
    {
      name: 'a try that nobody answers says so, however it ends',
      async run(rig) {
        const { fake } = unpack(rig);
        const { account } = reopen(rig, { settings: { sender: SENDER, baseUrl: NOBODY } });
        assert.equal((await rig.connector.probe(account)).result, 'no_connection');
        fake.fault('drop_before');
        assert.equal((await rig.connector.probe(rig.account)).result, 'no_connection');
      },
    },
    {
      name: 'only hosts that the account may reach are reached',
      async run(rig) {
        const { fake } = unpack(rig);
        const { connections } = watchConnections();
        const { account, sms } = reopen(rig, { connections });
        assert.equal((await rig.connector.probe(account)).result, 'wrong_host');
        assert.equal((await sms.send(makeOrder())).reason, 'blocked');
        assert.deepEqual(fake.requests, []);
      },
    },
    {
      name: 'without a base URL the provider’s own host is reached, by https',
      async run(rig) {
        const { connections, hosts, ports } = watchConnections();
        const { sms } = reopen(rig, { connections, settings: { sender: SENDER } });
        await sms.send(makeOrder());
        assert.deepEqual([hosts, ports], [[host], [443]]);
      },
    },
    {
      name: 'a base URL may have a path, with a slash at its end or without',
      async run(rig) {
        const { fake } = unpack(rig);
        for (const end of ['', '/']) {
          const { account } = reopen(rig, { settings: { sender: SENDER, baseUrl: `${fake.url}/v9${end}` } });
          assert.equal((await rig.connector.probe(account)).result, 'wrong_host');
          assert.match(fake.requests.at(-1)?.path ?? '', /^\/v9\/[a-z]/);
        }
      },
    },
  ];
}

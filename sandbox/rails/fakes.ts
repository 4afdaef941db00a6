// The fakes by the name of their connector: how each is started for people, and the accounts under which a gateway enters it.
import type { Clock } from '../../server/clock.ts';
import type { RailKind } from '../../server/providers/connector.ts';
import { startAppyPay } from './appypay.ts';
import type { Fake } from './fake.ts';
import { startKambaSms } from './kambasms.ts';
import { startOmbala } from './ombala.ts';
import { OPG_BASES, startOpgFake } from './opg.ts';
import { startProxypay } from './proxypay.ts';

/** What is entered at a gateway, beside label, environment and priority. */
export type FakeAccount = { kind: RailKind; settings: Record<string, unknown>; secrets: Record<string, unknown> };

export type RailFake = {
  fake: Fake;
  /** One for each kind that it is. */
  accounts: FakeAccount[];
  /** Where it tells its news from now on; null where each order names its own address, or nothing is told. */
  tellTo: ((url: string) => void) | null;
};

export type FakeName = 'appypay' | 'proxypay' | 'opg' | 'kambasms' | 'ombala';

type FakeEntry = {
  title: string;
  /** Where it listens unless it is told otherwise. */
  port: number;
  /** What one can try with it, for a page in Portuguese. */
  about: string;
  start(clock: Clock, port: number): Promise<RailFake>;
};

/** The demo merchant's, so that references are found under one entity wherever they are registered. */
const ENTITY = '00999';

export const FAKES: Record<FakeName, FakeEntry> = {
  appypay: {
    title: 'AppyPay',
    port: 8101,
    about: 'Pedidos no telemóvel, códigos QR como imagem, referências.',
    async start(clock, port) {
      const fake = await startAppyPay(clock, port);
      const { book, url } = fake;
      const { clientId, clientSecret, resource } = book;
      Object.assign(book, { entity: ENTITY, lastId: firstId(clock) });
      const [gpo, ref, umm] = book.methods;
      const hosts = { baseUrl: `${url}/v2.0`, tokenUrl: `${url}/oauth2/token` };
      const secrets = { clientId, clientSecret };
      const accounts: FakeAccount[] = [
        { kind: 'gpo', settings: { resource, methods: { gpo, umm }, ...hosts }, secrets },
        { kind: 'ppr', settings: { resource, methods: { ref }, ...hosts }, secrets },
      ];
      return { fake, accounts, tellTo: (address) => void (book.notifyUrl = address) };
    },
  },
  proxypay: {
    title: 'ProxyPay',
    port: 8102,
    about: 'Referências, com a fila de pagamentos que espera por confirmação.',
    async start(clock, port) {
      const apiKey = 'proxypay-pretended-key';
      const fake = await startProxypay({ clock, entity: ENTITY, apiKey, port });
      // Beside it stands the day: eight digits are enough.
      fake.book.lastId = firstId(clock) % 100_000_000;
      const settings = { entity: ENTITY, isExclusive: true, baseUrl: fake.url };
      const tellTo = (address: string) => void (fake.book.notifyUrl = address);
      return { fake, accounts: [{ kind: 'ppr', settings, secrets: { apiKey } }], tellTo };
    },
  },
  opg: {
    title: 'ProxyPay OPG',
    port: 8103,
    about: 'Pedidos no telemóvel e códigos QR que abrem a aplicação.',
    async start(clock, port) {
      const token = 'opg-pretended-token';
      const fake = await startOpgFake({ clock, token, posId: 111, port });
      fake.book.lastId = firstId(clock);
      const settings = { dialect: 'proxypay', posId: 111, baseUrl: fake.url + OPG_BASES.proxypay };
      return { fake, accounts: [{ kind: 'gpo', settings, secrets: { token } }], tellTo: null };
    },
  },
  kambasms: {
    title: 'KambaSMS',
    port: 8104,
    about: 'SMS curtos, sem links e sem respostas.',
    async start(clock, port) {
      const fake = await startKambaSms({ clock, port });
      fake.book.lastId = firstId(clock);
      return { fake, accounts: [smsAccount(fake, fake.book.senders, fake.book.apiKey)], tellTo: null };
    },
  },
  ombala: {
    title: 'Ombala',
    port: 8105,
    about: 'SMS sem respostas, onde repetir é enviar duas vezes.',
    async start(clock, port) {
      const fake = await startOmbala({ clock, port });
      fake.book.lastId = firstId(clock);
      return { fake, accounts: [smsAccount(fake, fake.book.senders, fake.book.token)], tellTo: null };
    },
  },
};

export const FAKE_NAMES = Object.keys(FAKES) as FakeName[];

function smsAccount({ url }: Fake, [sender]: string[], apiKey: string): FakeAccount {
  return { kind: 'sms', settings: { sender, baseUrl: url }, secrets: { apiKey } };
}

/** Books are forgotten, gateways are not: money of another start must not bear an id that was told before. */
function firstId(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000) * 100;
}

// The fakes by connector name: how to start each, and the rail accounts with which a gateway uses it.
import type { Clock } from '../../server/clock.ts';
import type { RailKind } from '../../server/providers/connector.ts';
import { startAppyPay } from './appypay.ts';
import type { Fake } from './fake.ts';
import { startKambaSms } from './kambasms.ts';
import { startOmbala } from './ombala.ts';
import { OPG_BASES, startOpgFake } from './opg.ts';
import { startProxypay } from './proxypay.ts';

/** The fields of a fake's rail account, without label, environment and priority. */
export type FakeAccount = { kind: RailKind; settings: Record<string, unknown>; secrets: Record<string, unknown> };

export type RailFake = {
  fake: Fake;
  accounts: FakeAccount[];
  /** Sets the fake's notification URL. Null: each order has its own URL, or the provider sends no notifications. */
  notifyTo: ((url: string) => void) | null;
};

export type FakeName = 'appypay' | 'proxypay' | 'opg' | 'kambasms' | 'ombala';

type FakeEntry = {
  title: string;
  port: number;
  /** A description of the fake in Portuguese, for the sandbox's page of fakes. */
  about: string;
  start(clock: Clock, port: number): Promise<RailFake>;
};

/** The demo merchant's PPR entity. All rails of the sandbox use it, so that their references share one entity. */
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
      return { fake, accounts, notifyTo: (address) => void (book.notifyUrl = address) };
    },
  },
  proxypay: {
    title: 'ProxyPay',
    port: 8102,
    about: 'Referências, com a fila de pagamentos que espera por confirmação.',
    async start(clock, port) {
      const apiKey = 'proxypay-pretended-key';
      const fake = await startProxypay({ clock, entity: ENTITY, apiKey, port });
      // AppyPay's ids also contain the day, so eight digits of the counter are enough.
      fake.book.lastId = firstId(clock) % 100_000_000;
      const settings = { entity: ENTITY, isExclusive: true, baseUrl: fake.url };
      const notifyTo = (address: string) => void (fake.book.notifyUrl = address);
      return { fake, accounts: [{ kind: 'ppr', settings, secrets: { apiKey } }], notifyTo };
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
      return { fake, accounts: [{ kind: 'gpo', settings, secrets: { token } }], notifyTo: null };
    },
  },
  kambasms: {
    title: 'KambaSMS',
    port: 8104,
    about: 'SMS curtos, sem links e sem respostas.',
    start: sms(startKambaSms),
  },
  ombala: {
    title: 'Ombala',
    port: 8105,
    about: 'SMS sem respostas, onde repetir é enviar duas vezes.',
    start: sms(startOmbala),
  },
};

export const FAKE_NAMES = Object.keys(FAKES) as FakeName[];

type SmsStart = (options: {
  clock: Clock;
  port: number;
}) => Promise<Fake & { book: { apiKey: string; senders: string[]; lastId: number } }>;

function sms(start: SmsStart): FakeEntry['start'] {
  return async (clock, port) => {
    const fake = await start({ clock, port });
    const { book, url } = fake;
    book.lastId = firstId(clock);
    const settings = { sender: book.senders[0], baseUrl: url };
    return { fake, accounts: [{ kind: 'sms', settings, secrets: { apiKey: book.apiKey } }], notifyTo: null };
  };
}

/** Returns the first id after a start. It is larger than all earlier ids, because a gateway has stored those. */
function firstId(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1000) * 100;
}

// The fakes by connector name: how to start each, and the rail accounts with which a gateway uses it.
import type { Clock } from '../../server/clock.ts';
import type { RailKind } from '../../server/providers/connector.ts';
import { startAppyPay } from './appypay.ts';
import type { Fake, FakeAccount } from './fake.ts';
import { startKambaSms } from './kambasms.ts';
import { startOmbala } from './ombala.ts';
import { startOpg } from './opg.ts';
import { startProxypay } from './proxypay.ts';

export type RailFake = {
  fake: Fake;
  accounts: (FakeAccount & { kind: RailKind })[];
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
const entity = '00999';

export const FAKES: Record<FakeName, FakeEntry> = {
  appypay: {
    title: 'AppyPay',
    port: 8101,
    about: 'Pedidos no telemóvel, códigos QR como imagem, referências.',
    start: rail(['gpo', 'ppr'], (options) => startAppyPay({ ...options, entity })),
  },
  proxypay: {
    title: 'ProxyPay',
    port: 8102,
    about: 'Referências, com a fila de pagamentos que espera por confirmação.',
    start: rail(['ppr'], (options) => startProxypay({ ...options, entity, apiKey: 'proxypay-pretended-key' })),
  },
  opg: {
    title: 'ProxyPay OPG',
    port: 8103,
    about: 'Pedidos no telemóvel e códigos QR que abrem a aplicação.',
    start: rail(['gpo'], (options) => startOpg({ ...options, token: 'opg-pretended-token', posId: 111 })),
  },
  kambasms: {
    title: 'KambaSMS',
    port: 8104,
    about: 'SMS curtos, sem links e sem respostas.',
    start: rail(['sms'], startKambaSms),
  },
  ombala: {
    title: 'Ombala',
    port: 8105,
    about: 'SMS sem respostas, onde repetir é enviar duas vezes.',
    start: rail(['sms'], startOmbala),
  },
};

export const FAKE_NAMES = Object.keys(FAKES) as FakeName[];

type StartFake = (options: { clock: Clock; port: number }) => Promise<Fake>;

function rail(kinds: RailKind[], start: StartFake): FakeEntry['start'] {
  return async (clock, port) => {
    const fake = await start({ clock, port });
    const { book } = fake;
    // A gateway has stored the ids of earlier starts, so the first id is larger than all of them.
    book.lastId = Math.floor(clock.now().getTime() / 1000) * 100;
    const accounts = kinds.map((kind) => ({ kind, ...fake.account() }));
    return { fake, accounts, notifyTo: 'notifyUrl' in book ? (url) => void (book.notifyUrl = url) : null };
  };
}

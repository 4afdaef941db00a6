// The contract of a connector as a list of cases: tried against its fake by the tests, and by hand against the provider's own sandbox.
import type { OpenAccount, Connector, RailClients } from '../../server/providers/connector.ts';
import type { ContractSuite as NewSuite } from './contract.ts';
import type { Fake } from './fake.ts';

/** What a case is given: the connector, an account of it, the clients that it opens, and the fake where there is one. */
export type ContractRig<Book = unknown> = {
  connector: Connector;
  account: OpenAccount;
  clients: RailClients;
  /** Null at the provider's own sandbox. */
  fake: (Fake & { book: Book }) | null;
  /** Moves the clock on; at the provider's own sandbox it waits. */
  pass(ms: number): Promise<void>;
};

export type ContractCase<Book = unknown> = {
  name: string;
  /** The provider publishes nothing sure: the safe reading is built, and nobody relies on it before it was tried there. */
  isUncertain?: boolean;
  /** It can be tried against the provider's own sandbox: it orders no fault and looks into no book; an uncertain one asks there. */
  isLive?: boolean;
  /** It is for accounts of this dialect alone (`settings.dialect`). */
  dialect?: string;
  /** Throws (node:assert) where the contract is broken. */
  run(rig: ContractRig<Book>): Promise<void>;
};

export type ContractSuite<Book = unknown> = {
  connector: Connector;
  /** Starts a fake with an empty book, and an account that is known there. */
  openRig(): Promise<ContractRig<Book> & { stop(): Promise<void> }>;
  /** The account at the provider's own sandbox, of the environment's variables; says which are missing. */
  liveAccount(env: NodeJS.ProcessEnv): { account: OpenAccount } | { missing: string[] };
  cases: ContractCase<Book>[];
};

/** A suite in the old form, for what expects the new one. */
export function adaptLegacy(suite: ContractSuite<any>): NewSuite {
  const { connector, cases, liveAccount, openRig } = suite;
  const openFixture = async () => (await openRig()) as any;
  const openLive = (account: OpenAccount, pass: (ms: number) => Promise<void>) =>
    ({ connector, account, clients: connector.open(account), fake: null, pass }) as any;
  const run = async (one: any) => {
    const rig = await openRig();
    try {
      await one.run(rig);
    } finally {
      await rig.stop();
    }
  };
  return { connector, cases, liveAccount, openFixture, openLive, run };
}

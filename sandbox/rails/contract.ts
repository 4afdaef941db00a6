// The contract of a connector as a list of cases: tried against its fake by the tests, and by hand against the provider's own sandbox.
import type { OpenAccount, Connector, RailClients } from '../../server/providers/connector.ts';
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
  isUncertain?: true;
  /** It can be tried against the provider's own sandbox: it orders no fault and looks into no book; an uncertain one asks there. */
  isLive?: true;
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

// What the console's server and its screens agree on: what a screen asks of the API, what a form does, and whom it is drawn for.
import type { Language } from './language.ts';
import type { RoleName } from './roles.ts';

/** One call of an operation of the API, by its `operationId`; the merchant is the session’s, and need not be in `params`. */
export type Ask = {
  operation: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  /** An Idempotency-Key: what is sent twice is done once. */
  key?: string;
  /** The entity tag of what was read: refused (`precondition_failed`) where it is another now. */
  ifMatch?: string;
  /** What is not there is null: not the whole page’s refusal. */
  orNull?: true;
};

/** A list that is asked for as a file. */
export type FileAsk = Pick<Ask, 'operation' | 'params' | 'query'>;

/** The path and query that a screen was opened with. */
export type Opened = { params: Record<string, string>; query: Record<string, string> };

/** Why a form was refused. */
export type Refused = {
  act: string;
  /** The problem's. */
  code: string;
  /** By pointer (`metadata/phoneNumber`) the code of its first fault. */
  wrong: Record<string, string>;
  /** Every fault of the problem, with what its sentence names (the line of a file). */
  faults: readonly { pointer: string; code: string; params?: Record<string, unknown> }[];
  /** What the problem has beyond that, such as the lines to choose from. */
  extra: Record<string, unknown>;
  typed: Record<string, string>;
  /** Where it failed and may have been done all the same: the number by which the log finds it. Null: it was not done. */
  requestId: string | null;
};

/** Whom a page is drawn for. */
export type Visitor = {
  lang: Language;
  sandbox: boolean;
  name: string;
  role: RoleName | null;
  /** Null: a person without one. */
  merchant: { id: string; name: string } | null;
  /** How merchants reach the operator; empty where no setting says. */
  operatorContact: string;
  /** Proves that a form of this session was sent. */
  formToken: string;
  /** Whether they may call this operation. */
  may(operation: string): boolean;
};

/** What a form of a screen does. */
export type Act = {
  operation: string;
  /** What is asked by it; a string: the pointer of the field that could not be read. */
  ask(form: Record<string, string>, opened: Opened): Omit<Ask, 'operation' | 'key'> | string;
  /** Where its answer is shown; the screen itself unless it is said. @param body of the answer, as JSON */
  leadsTo?(body: any, opened: Opened, headers: Record<string, string>): string;
  /** The merchant at which the session goes on from then, with a cookie anew. @param body of the answer, as JSON */
  enters?(body: any): string;
  /** Its operation keeps no answers under keys, as they hold secrets: the form itself counts once. */
  once?: true;
  /** Its answer is shown once, as the answer to the form: a secret must stand in no address and in no history. */
  tells?: true;
  /** Its fields that may come as a file, sent as `<field>.file`: read as a text in place of what was typed, or as a `data:` URL. */
  files?: Record<string, 'text' | 'picture'>;
  /** Nothing is done: what the operation would refuse is told, else what it would be asked is drawn, from `told`. */
  isTrial?: true;
};

export type Drawn<Data> = {
  visitor: Visitor;
  opened: Opened;
  data: Data;
  /** The entity tags of what was read, by the names of `data`. */
  tags: Record<string, string>;
  /** What an act answered that is told only once (a secret), or what a trial would ask: drawn as the answer to its form, at no address. */
  told: { act: string; body: any; typed: Record<string, string> } | null;
  /** What has just been done, by its act's name. */
  done: string | null;
  refused: Refused | null;
  /** The cursor of the merchant's feed as the page was drawn: a script listens from there. Null: nothing of it changes by itself. */
  heardTo: string | null;
  /** A key for forms that must be done once, new at each drawing. */
  key: string;
  now: Date;
};

/** One screen: its address, what it reads, what it does. Whoever may not call what it needs does not see it. */
export type ScreenRules = {
  path: string;
  needs: string;
  /** Which subjects of events it shows, such as `payment`: with a script its live parts are drawn anew when one of them changes. */
  live?: readonly string[];
  /** By name of `data`; null: not asked, as they may not or need not. */
  reads(opened: Opened, visitor: Pick<Visitor, 'may'>): Record<string, Ask | null>;
  /** What can only be asked for with the answers to that in hand. */
  readsOn?(data: any, opened: Opened): Record<string, Ask>;
  /** Where else to look, before anything is read. */
  detour?(opened: Opened): string | null;
  acts: Record<string, Act>;
  /** The list as a file, at an address of its own. */
  file?: { path: string; ask(opened: Opened): FileAsk };
  /** Things of the screen in another form, such as a PDF, each at an address of its own. */
  documents?: readonly { path: string; type: string; ask(opened: Opened): Ask }[];
};

/** The page of a sign-in: the password, or the code after it. */
export type DoorView = {
  lang: Language;
  sandbox: boolean;
  step: 'password' | 'code';
  email: string;
  mfaToken: string;
  /** Where they wanted to go. */
  to: string;
  /** They come by a link of a mail or of another site: browsers keep the cookie back, and show it after one press here. */
  isFromElsewhere: boolean;
  wrong: 'password' | 'code' | 'later' | 'ended' | null;
};

/** What of the console the server loads, built. */
export type ConsoleRender = {
  styles: string;
  screens: readonly ScreenRules[];
  /** The first screen that they may see. */
  homeOf(visitor: Pick<Visitor, 'may'>): string;
  renderScreen(path: string, drawn: Drawn<any>, script: string | null): string;
  renderDoor(view: DoorView): string;
  /** @param againUrl null where asking again would send a form twice @param visitor null: nobody is known */
  renderTrouble(lang: Language, againUrl: string | null, visitor?: Visitor | null): string;
  /** After a form that failed, where its screen cannot be drawn either. */
  renderUnknown(lang: Language, requestId: string): string;
  renderMissing(lang: Language, visitor?: Visitor | null): string;
};

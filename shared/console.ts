// The contract between the console's server and its screens.
// A screen declares the API operations that it reads, and the actions of its forms.
import type { Language } from './language.ts';
import type { RoleName } from './roles.ts';

/** One call of an API operation by its `operationId`. The session supplies the merchant's id in `params`. */
export type OperationCall = {
  operation: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  /** The call's Idempotency-Key. */
  key?: string;
  /** The `If-Match` header. The API refuses the call (`precondition_failed`) if the entity tag has changed. */
  ifMatch?: string;
  /** Turns a 404 into null. Without it, a 404 makes the whole page fail. */
  nullIfMissing?: true;
};

/** A list that the console requests as a file. */
export type FileCall = Pick<OperationCall, 'operation' | 'params' | 'query'>;

/** The path parameters and the query of the request for a screen. */
export type ScreenLocation = { params: Record<string, string>; query: Record<string, string> };

/** The data of a refused form. */
export type FormRefusal = {
  act: string;
  /** The problem's code. */
  code: string;
  /** The code of the first fault of each field, by pointer such as `metadata/phoneNumber`. */
  wrong: Record<string, string>;
  /** Every fault of the problem, with the parameters of its message, such as the line of a file. */
  faults: readonly { pointer: string; code: string; params?: Record<string, unknown> }[];
  /** Further members of the problem, such as the lines of a bank file to choose from. */
  extra: Record<string, unknown>;
  typed: Record<string, string>;
  /** The request's id in the log if the outcome is unknown. Null if the action surely had no effect. */
  requestId: string | null;
};

/** The signed-in person that a page is rendered for. */
export type Visitor = {
  lang: Language;
  sandbox: boolean;
  name: string;
  role: RoleName | null;
  /** Null if the person has no merchant. */
  merchant: { id: string; name: string } | null;
  /** The operator's contact for merchants. Empty if it is not configured. */
  operatorContact: string;
  /** CSRF token: proves that a form comes from a page of this session. */
  formToken: string;
  /** True if the person may call this operation. */
  may(operation: string): boolean;
};

/** The action of a form. */
export type Act = {
  operation: string;
  /** Builds the call from the form. Returns a string, the field's pointer, if a field could not be read. */
  buildCall(form: Record<string, string>, opened: ScreenLocation): Omit<OperationCall, 'operation' | 'key'> | string;
  /** The address to open after success. Default: the screen itself. @param body the response's JSON */
  resultPath?(body: any, opened: ScreenLocation, headers: Record<string, string>): string;
  /** The merchant that the session switches to after success, with a new cookie. @param body the response's JSON */
  switchesToMerchant?(body: any): string;
  /** The operation stores no idempotent answers, because they hold secrets. The console itself runs the form once. */
  once?: true;
  /** The response to the form shows the result once, because a secret must not be in an address or in the history. */
  showsResultOnce?: true;
  /**
   * Fields that accept an upload, sent as `<field>.file`.
   * `text`: the file's text replaces the typed text. `picture`: the field becomes a `data:` URL.
   */
  files?: Record<string, 'text' | 'picture'>;
  /** Dry run: the screen shows the operation's refusal, or the call itself. Nothing is changed. */
  isDryRun?: true;
};

export type ScreenProps<Data> = {
  visitor: Visitor;
  opened: ScreenLocation;
  data: Data;
  /** The entity tags of the responses, by the names in `data`. */
  tags: Record<string, string>;
  /** The result of an act, shown once in the response to its form, or the call of a dry run. */
  formResult: { act: string; body: any; typed: Record<string, string> } | null;
  /** The name of the act that has just succeeded. */
  done: string | null;
  refused: FormRefusal | null;
  /** The merchant's event cursor at render time. The page's script listens from there. Null for a static page. */
  feedCursor: string | null;
  /** A new Idempotency-Key for the forms of this rendering. */
  key: string;
  now: Date;
};

/** One screen: its address, the operations it reads, its actions. People need the operation `needs` to see it. */
export type ScreenRules = {
  path: string;
  needs: string;
  /** Subjects of events, such as `payment`. An event about one of them redraws the live parts of the screen. */
  live?: readonly string[];
  /** The calls that fill `data`, by name. Null skips a call that the person may not or need not make. */
  reads(opened: ScreenLocation, visitor: Pick<Visitor, 'may'>): Record<string, OperationCall | null>;
  /** Calls that need the results of the calls in `reads`. */
  readsAfter?(data: any, opened: ScreenLocation): Record<string, OperationCall>;
  /** The address to redirect to before anything is read. */
  redirectTo?(opened: ScreenLocation): string | null;
  acts: Record<string, Act>;
  /** The screen's list as a download, with its own address. */
  file?: { path: string; buildCall(opened: ScreenLocation): FileCall };
  /** Further downloads of the screen, such as a PDF, each with its own address. */
  documents?: readonly { path: string; type: string; buildCall(opened: ScreenLocation): OperationCall }[];
};

/** The sign-in page: the password step or the code step. */
export type SignInView = {
  lang: Language;
  sandbox: boolean;
  step: 'password' | 'code';
  email: string;
  mfaToken: string;
  /** The page that the person requested before the sign-in. */
  to: string;
  /** True after a link from a mail or another site: the browser sends the cookie only after a click on our page. */
  isCrossSite: boolean;
  wrong: 'password' | 'code' | 'later' | 'ended' | null;
};

/** The exports of the console's server bundle. */
export type ConsoleRender = {
  styles: string;
  screens: readonly ScreenRules[];
  /** The path of the first screen that the person may see. */
  homeOf(visitor: Pick<Visitor, 'may'>): string;
  renderScreen(path: string, props: ScreenProps<any>, script: string | null): string;
  renderSignIn(view: SignInView): string;
  /** @param againUrl null if a retry would send a form twice @param visitor null if no person is signed in */
  renderTrouble(lang: Language, againUrl: string | null, visitor?: Visitor | null): string;
  /** For a form with an unknown outcome whose screen cannot be rendered. */
  renderUnknownOutcome(lang: Language, requestId: string): string;
  renderMissing(lang: Language, visitor?: Visitor | null): string;
};

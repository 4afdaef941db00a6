// The contract between the console's server and its screens.
// A screen declares the API operations that it reads, and the actions of its forms.
import type { Language } from './language.ts';
import type { FaultCode } from './messages.ts';
import type { RoleName } from './roles.ts';

/** One call of an API operation by its `operationId`. The session adds the merchant's id to `params`. */
export type OperationCall = {
  operation: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  /** The Idempotency-Key of the operation call. */
  key?: string;
  /** The `If-Match` header. The API refuses the call (`precondition_failed`) if the object's entity tag has changed. */
  ifMatch?: string;
  /** Turns a 404 of an operation call into null. Without this option, a 404 makes the whole page fail. */
  nullIfMissing?: true;
  /** The code of a refusal that turns into null. Without this option, the refusal makes the whole page fail. */
  nullIf?: 'sms_unavailable';
};

/** An API list that the console requests as a file to download. */
export type FileCall = Pick<OperationCall, 'operation' | 'params' | 'query'>;

/** The path parameters and the query of a request for a console screen. */
export type ScreenLocation = { params: Record<string, string>; query: Record<string, string> };

/** The data of a console form that the API refused. */
export type FormRefusal = {
  act: string;
  /** The code of the problem that refused the form. */
  code: string;
  /** The first fault code of each refused field, by the field's pointer such as `metadata/phoneNumber`. */
  wrong: Record<string, string>;
  /** Every fault of the problem, with the parameters of its message, such as the line of a file. */
  faults: readonly { pointer: string; code: string; params?: Record<string, unknown> }[];
  /** Further members of the problem document, such as the lines of a bank file to choose from. */
  extra: Record<string, unknown>;
  typed: Record<string, string>;
  /** The request id in the log if the form's outcome is unknown. Null if the form certainly had no effect. */
  requestId: string | null;
};

/** The signed-in person that a page is rendered for. */
export type Visitor = {
  lang: Language;
  sandbox: boolean;
  name: string;
  role: RoleName | null;
  /** The visitor's merchant. Null if the person has no merchant. */
  merchant: { id: string; name: string } | null;
  /** The public address of the gateway, such as https://pay.example. */
  gatewayUrl: string;
  /** The operator's contact for merchants. Empty if the operator has not configured a contact. */
  operatorContact: string;
  /** The number of unread notices, at most 100. 0 if the visitor may not read notices. */
  unread: number;
  /** True until the merchant's first payment. Its home is then the screen that prepares the first payment. */
  isNew: boolean;
  /** True if the merchant has not received money yet, or cannot charge by one of the methods that it offers. */
  isStarting: boolean;
  /** CSRF token: proves that a form comes from a page of this session. */
  formToken: string;
  /** True if the signed-in person may call this operation. */
  may(operation: string): boolean;
};

/** The action of a console form: the API call that the form becomes, and its result. */
export type Act = {
  operation: string;
  /** Another operation for some values of the form. Null: `operation`. */
  operationFor?(form: Record<string, string>): string | null;
  /**
   * Builds the API call from the form. `faults` are the faults that the API does not check: they refuse the form.
   * Returns a field's pointer (a string) if that field could not be read.
   */
  buildCall(
    form: Record<string, string>,
    opened: ScreenLocation,
  ): (Omit<OperationCall, 'operation' | 'key'> & { faults?: { pointer: string; code: FaultCode }[] }) | string;
  /** The path to open after the form's success. Default: the same screen. @param body the JSON of the API's response */
  resultPath?(body: any, opened: ScreenLocation, headers: Record<string, string>): string;
  /** The name of the result that the next page reports. Default: the form's name. @param status of the response */
  nameResult?(status: number): string;
  /** The merchant that the session switches to after the form's success. @param body the JSON of the response */
  switchesToMerchant?(body: any): string;
  /** For operations whose responses hold secrets and are not stored. The console itself runs the form once. */
  once?: true;
  /** The response to the form shows the result once. A secret must not be in a URL or in the browser's history. */
  showsResultOnce?: true | ((form: Record<string, string>) => boolean);
  /**
   * Form fields that accept an upload, sent as `<field>.file`.
   * `text`: the file's text replaces the typed text. `picture`: the field's value becomes a `data:` URL.
   * `bytes`: the field's value becomes the file in base64.
   */
  files?: Record<string, 'text' | 'picture' | 'bytes'>;
  /** Dry run of the form: the screen shows the operation's refusal, or the call itself. No data changes. */
  isDryRun?: true;
};

export type ScreenProps<Data> = {
  visitor: Visitor;
  opened: ScreenLocation;
  data: Data;
  /** The entity tags of the API's responses, by the same names as in `data`. */
  tags: Record<string, string>;
  /** The result of a form, shown once in the response to the form, or the API call of a dry run. */
  formResult: { act: string; body: any; typed: Record<string, string> } | null;
  /** The name of the form that has just succeeded. */
  done: string | null;
  refused: FormRefusal | null;
  /** The merchant's event cursor at render time. The page's script streams events after it. Null for a static page. */
  feedCursor: string | null;
  /** A new Idempotency-Key for the forms of this rendered page. */
  key: string;
  now: Date;
};

/** One console screen: its path, the operations it reads, its forms. Visitors need the operation `needs`. */
export type ScreenRules = {
  path: string;
  needs: string;
  /** Subjects of events, such as `payment`. An event about one of them redraws the live parts of the screen. */
  live?: readonly string[];
  /** The API calls that fill `data`, by name. Null skips a call that the visitor may not make or does not need. */
  reads(opened: ScreenLocation, visitor: Pick<Visitor, 'may'>): Record<string, OperationCall | null>;
  /** API calls that need the results of the calls in `reads`. */
  readsAfter?(data: any, opened: ScreenLocation): Record<string, OperationCall>;
  /** The address to which the screen redirects before it reads any data. */
  redirectTo?(opened: ScreenLocation): string | null;
  acts: Record<string, Act>;
  /** True if the screen has a frame with another page of the gateway. */
  holdsFrames?: true;
  /** The screen's list as a download, with its own address. */
  file?: { path: string; buildCall(opened: ScreenLocation): FileCall };
  /** Further downloads of the screen, such as a PDF. Each has its own URL. */
  documents?: readonly { path: string; type: string; buildCall(opened: ScreenLocation): OperationCall }[];
};

/** The sign-in page: the password step or the code step. */
export type SignInView = {
  lang: Language;
  sandbox: boolean;
  step: 'password' | 'code';
  email: string;
  mfaToken: string;
  /** The page that the person requested before the sign-in page appeared. */
  to: string;
  /** True after a link from another site: the browser then sends the cookie only after a click on our page. */
  isCrossSite: boolean;
  /** `ended`, `lost`, `kept`: the session ended before this request, a lost form, or a form that the page keeps. */
  wrong: 'password' | 'code' | 'later' | 'ended' | 'lost' | 'kept' | null;
  /** The fields of a form that was sent after its session had ended, as JSON. The screen shows them again. */
  kept: string | null;
  /** The URL of the script that shows a typed password. Null if it was not built. */
  script: string | null;
};

/** The pages that the service worker shows without a connection: the till, and a message in place of other screens. */
export type ShellPage = 'till' | 'away';

/** The exports of the console's server bundle. */
export type ConsoleRender = {
  styles: string;
  screens: readonly ScreenRules[];
  /** The path of the screen that the console opens with, by the visitor's role. */
  homeOf(visitor: Pick<Visitor, 'may' | 'role' | 'isNew' | 'isStarting'>): string;
  renderScreen(path: string, props: ScreenProps<any>, script: string | null): string;
  renderSignIn(view: SignInView): string;
  /** @param againUrl null if a retry would send a form twice @param visitor null if no person is signed in */
  renderTrouble(lang: Language, againUrl: string | null, visitor?: Visitor | null): string;
  /** Renders the page for a form with an unknown outcome, if the form's screen cannot be rendered. */
  renderUnknownOutcome(lang: Language, requestId: string): string;
  renderMissing(lang: Language, visitor?: Visitor | null): string;
  /** Renders a page of the shell. It has no data of a person or a merchant. */
  renderShell(page: ShellPage, lang: Language, script: string): string;
};

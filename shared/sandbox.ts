// The data of the sandbox's pages, and the sandbox's known credentials.
import type { RefundExtent } from './refund.ts';
import type { PaymentStatus } from './status.ts';

/** The demo merchant's API client. Its secret is public, so production refuses a database that contains it. */
export const DEMO_CLIENT_ID = 'demo';

/** The slug of the demo merchant's payment link: its page is `/l/cafedemanh`. */
export const DEMO_SLUG = 'cafedemanh';

/** The demo merchant's people. One click signs them in at the console, and they have no password. */
export const DEMO_PEOPLE = {
  owner: {
    id: '00000000-0000-7000-8000-00000000de32',
    email: 'dona@loja-da-ilha.example',
    firstName: 'Dona',
    role: 'Owner',
  },
  cashier: {
    id: '00000000-0000-7000-8000-00000000de33',
    email: 'caixa@loja-da-ilha.example',
    firstName: 'Caixa',
    role: 'Cashier',
  },
} as const;

/** The path that the form of the demo sign-in posts to. */
export const DEMO_SIGN_IN_PATH = '/sandbox/console';

export type SandboxView = { publicUrl: string; tokenCommand: string; rails: RailsView; time: TimeView };

/** The sandbox's clock. `isAhead` is true if people moved it ahead of real time. */
export type TimeView = { now: string; isAhead: boolean };

/** The demo shop's rail accounts, and the provider fakes that it can use. */
export type RailsView = {
  /** The first account of each kind gets each order first. Without an account of a kind, the simulator gets it. */
  accounts: {
    id: string;
    label: string;
    kind: 'gpo' | 'ppr' | 'sms';
    /** True if the account gets no new orders. */
    isStopped: boolean;
  }[];
  trials: RailTrial[];
};

/** A fake provider that the demo shop can use. */
export type RailTrial = {
  /** The connector's name, which is also part of the fake's URLs. */
  name: string;
  title: string;
  about: string;
  /** True if the demo shop uses this fake provider. */
  isChosen: boolean;
  /** True if the fake responds, so that its page can be opened. */
  isRunning: boolean;
};

export type PhoneListView = {
  /** The test phones. A number has nine digits. */
  phones: { number: string; waiting: number }[];
  typed: string;
  isWrong: boolean;
};

/** A push as the test phone shows it. */
export type PushView = {
  id: string;
  state: 'waiting' | 'approved' | 'declined';
  /** A failure code of shared/status.ts, or null if the rail reports no reason. */
  reason: string | null;
  /** True for an authorization: the money is reserved, not taken. */
  isReservation: boolean;
  merchant: string | null;
  reference: string;
  description: string | null;
  amountText: string;
  decidedAt: string | null;
  expiresAt: string;
};

export type PhoneView = {
  number: string;
  /** The server's time, for countdowns. */
  serverTime: string;
  pushes: PushView[];
};

/** `open` if the QR code accepts another payment. `ended`: it has expired. `used_up`: it has all its payments. */
export type CodeState = 'open' | 'used_up' | 'ended' | 'withdrawn';

/** The payment of a QR code, for the page that scans it. */
export type CodeView = {
  state: CodeState;
  merchant: string | null;
  reference: string;
  description: string | null;
  amountText: string;
  accepted: number;
  max: number;
  endsAt: string;
};

export type ScanFormView = {
  /** The code's content, pasted or read from an image. */
  content: string;
  phone: string;
  phoneError: boolean;
  /** Null without content, or if the rail does not know the content. */
  code: CodeView | null;
};

/** One payment of a QR code. */
export type ScanView = {
  id: string;
  state: 'accepted' | 'refused' | 'pending';
  /** A failure code of shared/status.ts, if the payment was refused. */
  reason: string | null;
  transaction: string | null;
  amountText: string;
  phone: string;
};

/** Channels that pay references: cash machine (ATM), internet banking (IB), mobile app (MB), shop terminal (POS). */
export type CashChannel = 'ATM' | 'IB' | 'MB' | 'POS';

/** Faults that the test machine can cause in a payment by reference. */
export type CashFault = 'twice' | 'late' | 'wrong_amount' | 'notify_later' | 'lost';

/** The bill of a reference as the paying channel shows it. */
export type BillView = {
  state: 'open' | 'paid' | 'expired' | 'withdrawn';
  entity: string;
  reference: string;
  merchant: string | null;
  description: string | null;
  /** Decimal text. Null if the payer chooses the amount. */
  amount: string | null;
  amountText: string | null;
  currency: string;
};

export type AtmView = {
  channel: CashChannel;
  /** The typed text of each field. */
  entity: string;
  reference: string;
  amount: string;
  /** The wrong fields. `unknown`: the rail does not know the reference. `other_amount`: its amount is different. */
  wrong: ('entity' | 'reference' | 'unknown' | 'amount' | 'other_amount')[];
  /** Null until the rail has found the reference. */
  bill: BillView | null;
};

/** One payment to a reference: the data of the printed slip, also readable by scripts. */
export type SlipView = {
  transactionId: string;
  entity: string;
  reference: string;
  merchant: string | null;
  amount: string;
  currency: string;
  amountText: string;
  paidAt: string;
  /** The rail's clearing period. `number` is the transaction's number in this period. */
  period: string;
  number: string;
  terminal: { type: string; id: string; location: string };
};

export type SlipsView = { channel: CashChannel; fault: CashFault | null; slips: SlipView[] };

/** `order` is the number of the next order of the product, so that sending a form twice creates one order. */
export type ShopView = { products: (ProductView & { about: string; amountText: string; order: string })[] };

export type ProductView = { id: string; name: string };

/** The payment as the shop's server read it at `readAt`. */
export type OrderRead = {
  status: PaymentStatus;
  refund: RefundExtent;
  failure: string | null;
  completedAt: string | null;
  transaction: string | null;
  readAt: string;
};

export type OrderView = {
  order: string;
  product: ProductView;
  amountText: string;
  /** True if the order is paid by reference: at the test machine, not on the test phone. */
  isByReference: boolean;
  paymentId: string;
  token: string | null;
  checkoutUrl: string | null;
  tokenCommand: string;
  readCommand: string;
  read: OrderRead;
};

export type NoticeView = { title: string; text: string; link: { href: string; text: string } };

/** One mail or SMS in the sandbox's inbox. */
export type MessageView = {
  /** An SMS has the rail's own id. Replies name it. */
  id: string;
  kind: 'mail' | 'sms';
  to: string;
  /** The subject of a mail, or the sender of an SMS. */
  subject: string | null;
  text: string;
  receivedAt: string;
};

export type InboxView = {
  /** The recipient to filter by, as typed. Empty shows all messages. */
  to: string;
  /** Mails and SMS, newest first. */
  letters: MessageView[];
  /** True if a mail server is configured. Mail then leaves through it and does not appear here. */
  hasMailServer: boolean;
  /** True if an SMS rail is configured. SMS then leave through it and do not appear here. */
  hasSmsRail: boolean;
  /** The id of the SMS that the last form replied to. */
  repliedTo: string | null;
};

/** The ways in which the demo shop's server responds to callbacks and webhooks. */
export const SHOP_MODES = ['ok', 'slow', 'error', 'refuse', 'hang', 'garbage', 'gone', 'busy'] as const;
export type ShopMode = (typeof SHOP_MODES)[number];

/** One call that arrived at the demo shop's server. */
export type ArrivalView = {
  id: number;
  receivedAt: string;
  kind: 'ppr' | 'qrcode' | 'webhook' | 'test' | 'unknown';
  /** The delivery's id, the same at every attempt. */
  delivery: string | null;
  /** The number of the attempt, from 1. */
  attempt: number | null;
  /** True if the `Access-Key` is the shop's. Null for an event, which is signed instead. */
  isKeyRight: boolean | null;
  /** True if the shop had processed this delivery before. */
  isRepeat: boolean;
  /** The shop's own number of the sale. A repeat has the number of the first delivery. */
  sale: string | null;
  amountText: string | null;
  /** The payment's reference, or the event's type. */
  about: string | null;
  /** `left`: the caller disconnected before the response. */
  outcome: 'open' | 'answered' | 'left';
  answer: { status: number; body: unknown } | null;
  /** The request's headers with masked secrets. */
  headers: Record<string, string>;
  /** The parsed JSON, or the received text if it is not JSON. */
  body: unknown;
};

export type CallbacksView = {
  mode: ShopMode;
  /** The delay of the mode `slow`. */
  delaySeconds: number;
  /** Number of sales. A payment that was delivered twice counts once. */
  sales: number;
  /** Received calls, newest first. */
  arrivals: ArrivalView[];
};

/** The data of the callbacks page, with the endpoint's URL and its credentials. */
export type CallbacksPage = CallbacksView & {
  publicUrl: string;
  hookUrl: string;
  accessKey: string;
  merchantId: string;
  script: string | null;
};

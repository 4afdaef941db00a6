// The data of the sandbox's pages, and the sandbox's known credentials.
import type { RefundExtent } from './refund.ts';
import type { PaymentStatus } from './status.ts';

/** The demo merchant's API client. Its secret is public, so production refuses a database that contains it. */
export const DEMO_CLIENT_ID = 'demo';

/** The slug of the demo merchant's payment link: its page is `/l/cafedemanh`. */
export const DEMO_SLUG = 'cafedemanh';

/** The demo merchant's people. One click signs them in at the console without a password. */
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
  /** For each kind, the first account gets each order first. A kind without an account uses the simulator. */
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
  /** True if the fake provider responds, so that its page can be opened. */
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
  /** The failure code of a declined push (shared/status.ts), or null if the rail reports no reason. */
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
  /** The server's time, for the countdowns of the test phone. */
  serverTime: string;
  pushes: PushView[];
};

/** `open`: the QR code accepts another payment. `ended`: it has expired. `used_up`: no payment is left. */
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
  /** The QR code's content, pasted or read from an image. */
  content: string;
  phone: string;
  phoneError: boolean;
  /** The scanned code. Null without content, or if the rail does not know the content. */
  code: CodeView | null;
};

/** One payment of a QR code. */
export type ScanView = {
  id: string;
  state: 'accepted' | 'refused' | 'pending';
  /** The failure code of a refused scan (shared/status.ts), or null. */
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
  /** The bill's amount as decimal text. Null if the payer chooses the amount. */
  amount: string | null;
  amountText: string | null;
  currency: string;
};

export type AtmView = {
  channel: CashChannel;
  /** The typed text of each field of the cash machine's form. */
  entity: string;
  reference: string;
  amount: string;
  /** The wrong fields. `unknown`: the rail does not know the reference. `other_amount`: it has another amount. */
  wrong: ('entity' | 'reference' | 'unknown' | 'amount' | 'other_amount')[];
  /** The bill of the typed reference. Null until the rail has found the reference. */
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
  /** The rail's clearing period of a slip. `number` is the transaction's number in this period. */
  period: string;
  number: string;
  terminal: { type: string; id: string; location: string };
};

export type SlipsView = { channel: CashChannel; fault: CashFault | null; slips: SlipView[] };

/** `order` is the number of the next order of the product, so that sending a form twice creates one order. */
export type ShopView = { products: (ProductView & { about: string; amountText: string; order: string })[] };

export type ProductView = { id: string; name: string };

/** A demo order's payment, as the shop's server read it at `readAt`. */
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
  /** True if the order is paid by reference: the payer uses the test cash machine, not the test phone. */
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
  /** The id of a message. An SMS has the id that the rail assigned, and replies name that id. */
  id: string;
  kind: 'mail' | 'sms';
  to: string;
  /** The subject of a mail, or the sender of an SMS. */
  subject: string | null;
  text: string;
  receivedAt: string;
};

export type InboxView = {
  /** The recipient to filter the inbox by, as typed. Empty shows all messages. */
  to: string;
  /** The inbox's mails and SMS, newest first. */
  letters: MessageView[];
  /** True if a mail server is configured. Then that server sends the mail, and the inbox does not show it. */
  hasMailServer: boolean;
  /** True if an SMS rail is configured. Then that rail sends the SMS, and the inbox does not show it. */
  hasSmsRail: boolean;
  /** The id of the SMS that the last form replied to. */
  repliedTo: string | null;
};

/** The modes in which the demo shop's server responds to callbacks and webhooks. */
export const SHOP_MODES = ['ok', 'slow', 'error', 'refuse', 'hang', 'garbage', 'gone', 'busy'] as const;
export type ShopMode = (typeof SHOP_MODES)[number];

/** One call that arrived at the demo shop's server. */
export type ArrivalView = {
  id: number;
  receivedAt: string;
  kind: 'ppr' | 'qrcode' | 'webhook' | 'test' | 'unknown';
  /** The delivery's id, the same at every attempt. */
  delivery: string | null;
  /** The number of the delivery attempt, from 1. */
  attempt: number | null;
  /** True if the `Access-Key` is the shop's. Null for an event, which is signed instead. */
  isKeyRight: boolean | null;
  /** True if the shop had processed this delivery before. */
  isRepeat: boolean;
  /** The demo shop's own number of the sale. A repeat has the number of the first delivery. */
  sale: string | null;
  amountText: string | null;
  /** The reference of the payment in a callback, or the type of an event. */
  about: string | null;
  /** Outcome of a call to the demo shop. `left`: the caller disconnected before the response. */
  outcome: 'open' | 'answered' | 'left';
  answer: { status: number; body: unknown } | null;
  /** The headers of a call to the demo shop, with masked secrets. */
  headers: Record<string, string>;
  /** The call's parsed JSON body, or the received text if it is not JSON. */
  body: unknown;
};

export type CallbacksView = {
  mode: ShopMode;
  /** The delay in seconds of the demo shop's mode `slow`. */
  delaySeconds: number;
  /** Number of the demo shop's sales. A payment that was delivered twice counts once. */
  sales: number;
  /** Calls to the demo shop, newest first. */
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

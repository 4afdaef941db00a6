// What the sandbox's pages are given to show: one shape for the server that reads it and the page that draws it; and its credentials.
import type { RefundExtent } from './refund.ts';
import type { PaymentStatus } from './status.ts';

/** The demo merchant's API client, known to everybody: production refuses a database that has it. */
export const DEMO_CLIENT_ID = 'demo';

/** What the demo merchant's payment link ends in: its page is `/l/…`. */
export const DEMO_SLUG = 'cafedemanh';

/** Who is signed in at the demo merchant's console by one press; they have no password. */
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

/** Where the form that signs them in is sent. */
export const DEMO_DOOR = '/sandbox/console';

export type SandboxView = { publicUrl: string; tokenCommand: string; rails: RailsView; time: TimeView };

/** The sandbox's own time, and whether it was put ahead of the world's. */
export type TimeView = { now: string; isAhead: boolean };

/** By whom the demo shop is charged, and by whom it could be. */
export type RailsView = {
  /** The first of its kind is asked first; none of a kind: the simulator is. */
  accounts: {
    id: string;
    label: string;
    kind: 'gpo' | 'ppr' | 'sms';
    /** Nothing new is begun with it. */
    isStopped: boolean;
  }[];
  trials: RailTrial[];
};

/** A provider's fake. */
export type RailTrial = {
  /** Of its connector, and of its addresses. */
  name: string;
  title: string;
  about: string;
  /** The shop is charged by it. */
  isChosen: boolean;
  /** It answers, and its page can be looked at. */
  isRunning: boolean;
};

export type PhoneListView = {
  /** Nine digits. */
  phones: { number: string; waiting: number }[];
  typed: string;
  isWrong: boolean;
};

/** A request to pay as its phone shows it. */
export type PushView = {
  id: string;
  state: 'waiting' | 'approved' | 'declined';
  /** A failure code of shared/status.ts, if the rail knows why. */
  reason: string | null;
  /** The money is reserved, not taken. */
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
  /** Countdowns run on the server's clock. */
  serverTime: string;
  pushes: PushView[];
};

/** Whether a QR code takes another payment. */
export type CodeState = 'open' | 'used_up' | 'ended' | 'withdrawn';

/** What a QR code asks for. */
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
  /** What was pasted, or read from an image. */
  content: string;
  phone: string;
  phoneError: boolean;
  /** Null without content, or when the rail does not know it. */
  code: CodeView | null;
};

/** One payment of a code. */
export type ScanView = {
  id: string;
  state: 'accepted' | 'refused' | 'pending';
  /** A failure code of shared/status.ts, of a refused one. */
  reason: string | null;
  transaction: string | null;
  amountText: string;
  phone: string;
};

/** Where a reference is paid: a cash machine, internet banking, the app, a shop's terminal. */
export type CashChannel = 'ATM' | 'IB' | 'MB' | 'POS';

/** What can be made to go wrong with a payment by reference. */
export type CashFault = 'twice' | 'late' | 'wrong_amount' | 'notify_later' | 'lost';

/** What a reference asks for where it is paid. */
export type BillView = {
  state: 'open' | 'paid' | 'expired' | 'withdrawn';
  entity: string;
  reference: string;
  merchant: string | null;
  description: string | null;
  /** Decimal text; null: the payer chooses. */
  amount: string | null;
  amountText: string | null;
  currency: string;
};

export type AtmView = {
  channel: CashChannel;
  /** As typed. */
  entity: string;
  reference: string;
  amount: string;
  /** What has to be put right. `unknown`: the rail knows no such digits; `other_amount`: it asks for another. */
  wrong: ('entity' | 'reference' | 'unknown' | 'amount' | 'other_amount')[];
  /** Null until the rail has found it. */
  bill: BillView | null;
};

/** One payment to a reference, as the slip tells it and scripts read it. */
export type SlipView = {
  transactionId: string;
  entity: string;
  reference: string;
  merchant: string | null;
  amount: string;
  currency: string;
  amountText: string;
  paidAt: string;
  /** The rail's period, and the number within it. */
  period: string;
  number: string;
  terminal: { type: string; id: string; location: string };
};

export type SlipsView = { channel: CashChannel; fault: CashFault | null; slips: SlipView[] };

/** `order` is the number this product's order would get: one form, one order, however often it is sent. */
export type ShopView = { products: (ProductView & { about: string; amountText: string; order: string })[] };

export type ProductView = { id: string; name: string };

/** What the shop's server read of the payment, and when. */
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
  /** To be paid by reference: at the test machine, not on the test phone. */
  isByReference: boolean;
  paymentId: string;
  token: string | null;
  checkoutUrl: string | null;
  tokenCommand: string;
  readCommand: string;
  read: OrderRead;
};

export type NoticeView = { title: string; text: string; link: { href: string; text: string } };

/** One message that somebody was sent. */
export type LetterView = {
  /** Of an SMS the rail's own: it is answered by it. */
  id: string;
  kind: 'mail' | 'sms';
  to: string;
  /** Of an SMS its sender. */
  subject: string | null;
  text: string;
  receivedAt: string;
};

export type InboxView = {
  /** Whose alone are shown, as typed; empty: everybody's. */
  to: string;
  /** Newest first. */
  letters: LetterView[];
  /** Mail leaves by it, and does not come here. */
  hasMailServer: boolean;
  /** Messages leave by it, likewise. */
  hasSmsRail: boolean;
  /** The id of the SMS that was answered just now. */
  repliedTo: string | null;
};

/** How the demo shop's server answers whoever calls it. */
export const SHOP_MODES = ['ok', 'slow', 'error', 'refuse', 'hang', 'garbage', 'gone', 'busy'] as const;
export type ShopMode = (typeof SHOP_MODES)[number];

/** One call that arrived at the demo shop's server. */
export type ArrivalView = {
  id: number;
  receivedAt: string;
  kind: 'ppr' | 'qrcode' | 'webhook' | 'test' | 'unknown';
  /** Its id: the same at every attempt. */
  delivery: string | null;
  /** From 1. */
  attempt: number | null;
  /** Whether its `Access-Key` is the shop's; null: an event, which is signed instead. */
  isKeyRight: boolean | null;
  /** The shop had dealt with it before. */
  isRepeat: boolean;
  /** The shop's own number of what was sold; a repeat finds the first one's. */
  sale: string | null;
  amountText: string | null;
  /** The reference it tells of, or the event's type. */
  about: string | null;
  /** `left`: the caller did not wait for the answer. */
  outcome: 'open' | 'answered' | 'left';
  answer: { status: number; body: unknown } | null;
  /** Secrets are masked. */
  headers: Record<string, string>;
  /** A JSON value, or the text as it came. */
  body: unknown;
};

export type CallbacksView = {
  mode: ShopMode;
  /** Of the slow answer. */
  delaySeconds: number;
  /** Sales made; a payment that is told of twice counts once. */
  sales: number;
  /** Newest first. */
  arrivals: ArrivalView[];
};

/** The page, with what it says of the address that is called. */
export type CallbacksPage = CallbacksView & {
  publicUrl: string;
  hookUrl: string;
  accessKey: string;
  merchantId: string;
  script: string | null;
};

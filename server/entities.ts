// All database tables: the ORM's entities, from which migrations are generated.
import { MailToken, Membership, Session, SignInFailure, User } from './people/entities.ts';
import { Client, RevokedToken, SigningKey } from './oauth/entities.ts';
import {
  BillingAccount,
  CertificationRequest,
  CreditNote,
  FiscalDocument,
  Invoice,
  Plan,
  Subscription,
  UsageEntry,
} from './billing/entities.ts';
import { Article } from './articles/entities.ts';
import {
  BankMappingRow,
  Reconciliation,
  Settlement,
  SettlementCredit,
  SettlementExplanation,
} from './books/entities.ts';
import { SchemaFloor } from './database/entities.ts';
import { Delivery, DeliveryAttempt, Endpoint } from './webhooks/entities.ts';
import { AuditEntry } from './audit/entities.ts';
import { Event } from './events/entities.ts';
import { IdempotencyKey, PublishedFile } from './http/entities.ts';
import { ListCount, ListDelta, ListFold } from './lists/entities.ts';
import { Link, LinkPayment } from './links/entities.ts';
import { Mail } from './mail/entities.ts';
import { Merchant, RequestError } from './merchants/entities.ts';
import { Notification } from './notifications/entities.ts';
import { Attempt, Payment, PaymentSearch, Reference, Transaction } from './payments/core/entities.ts';
import { Refund } from './payments/refund/entities.ts';
import { SentReceipt } from './receipts/entities.ts';
import { InboxMessage, RailAccount, RailFeed, ReservedReference } from './rails/entities.ts';
import {
  DigestKey,
  SmsAccount,
  SmsBatch,
  SmsContact,
  SmsLedgerEntry,
  SmsList,
  SmsListContact,
  SmsMessage,
  SmsOptOut,
  SmsOptOutCode,
  SmsTemplate,
} from './sms/entities.ts';
import { CashEntry, Shift } from './shifts/entities.ts';
import { Erasure, RetentionMark } from './privacy/entities.ts';
import { Terminal } from './terminals/entities.ts';

export const entities = [
  Merchant,
  Client,
  SigningKey,
  Event,
  ListCount,
  ListDelta,
  ListFold,
  IdempotencyKey,
  RequestError,
  PublishedFile,
  SchemaFloor,
  Payment,
  Attempt,
  Transaction,
  Refund,
  SentReceipt,
  PaymentSearch,
  Reference,
  Link,
  LinkPayment,
  Article,
  Shift,
  CashEntry,
  InboxMessage,
  RailFeed,
  ReservedReference,
  RailAccount,
  Terminal,
  Endpoint,
  Delivery,
  DeliveryAttempt,
  User,
  Membership,
  Session,
  RevokedToken,
  MailToken,
  SignInFailure,
  AuditEntry,
  Mail,
  Notification,
  Plan,
  Subscription,
  BillingAccount,
  UsageEntry,
  Invoice,
  CreditNote,
  FiscalDocument,
  CertificationRequest,
  Settlement,
  SettlementCredit,
  SettlementExplanation,
  Reconciliation,
  BankMappingRow,
  SmsAccount,
  SmsLedgerEntry,
  SmsContact,
  SmsList,
  SmsListContact,
  SmsOptOut,
  SmsOptOutCode,
  DigestKey,
  SmsTemplate,
  SmsBatch,
  SmsMessage,
  RetentionMark,
  Erasure,
];

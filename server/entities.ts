// The registry of tables: what the ORM discovers and migrations are made from.
import { Client, SigningKey } from './accounts/entities.ts';
import { Delivery, DeliveryAttempt, Endpoint } from './callbacks/entities.ts';
import { Event } from './events/entities.ts';
import { IdempotencyKey } from './http/entities.ts';
import { Merchant } from './merchants/entities.ts';
import { Attempt, Payment, Transaction } from './payments/entities.ts';
import { InboxMessage, RailFeed } from './providers/entities.ts';
import { Reference } from './references/entities.ts';
import { Terminal } from './terminals/entities.ts';

export const entities = [
  Merchant,
  Client,
  SigningKey,
  Event,
  IdempotencyKey,
  Payment,
  Attempt,
  Transaction,
  Reference,
  InboxMessage,
  RailFeed,
  Terminal,
  Endpoint,
  Delivery,
  DeliveryAttempt,
];

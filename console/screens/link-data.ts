// What the screens of payment links read of the API.
import type { Drawn } from '../../shared/console.ts';
import type { Asked, LinkStatus } from '../../shared/link.ts';
import type { Way } from '../../shared/ways.ts';
import type { Stated } from '../state.tsx';

export type Link = {
  id: string;
  url: string;
  status: LinkStatus;
  /** Problem codes that keep it from being paid. */
  obstacles: string[];
  title: string;
  amount: number | null;
  minAmount: number | null;
  maxAmount: number | null;
  currency: string;
  stock: number | null;
  openPayments: number;
  paidPayments: number;
  expiresAt: string | null;
  methods: Way[] | null;
  asks: Asked[];
  thanks: string | null;
  returnUrl: string | null;
  revision: number;
  createdAt: string;
};
export type LinkPayment = {
  internalId: string;
  reference: string;
  amount: number;
  amountPaid: number;
  currency: string;
  customerName: string | null;
  customerEmail: string | null;
  customerTelephone: string | null;
  documentNumber: string | null;
  createdAt: string;
} & Stated;
export type Page = {
  link: Link;
  payments: { data: LinkPayment[]; next: string | null; totalItems: number };
  /** As what an `img` shows. */
  svg: string;
  png: string;
  lists: { data: { listaId: string; nome: string; totalContactos: number }[] } | null;
};

export type Part = { drawn: Drawn<Page> };

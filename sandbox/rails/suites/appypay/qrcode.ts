// Cases: QR codes, which the rail draws, and their scans, which stand among its charges.
import assert from 'node:assert/strict';
import { PNG } from '../../appypay-desk.ts';
import { writeStatus } from '../../appypay-book.ts';
import {
  actOn,
  fakeOf,
  gpoOf,
  lastBody,
  listApiCalls,
  openChanged,
  qrOf,
  type AppyPayCase,
  type AppyPayRig,
} from './rig.ts';
import { outwait, until } from '../../rig.ts';

const MANY = { maxTransactions: 20, type: 'STATIC' } as const;
const CODES = { path: '/v2.0/qr-codes' };

function askScans(rig: AppyPayRig, attemptId = 'q') {
  return gpoOf(rig).queryQrCode({ attemptId, railOrderId: null, sentAt: rig.account.clock.now() });
}

/** Makes a code and has it scanned so often. */
async function makeScanned(rig: AppyPayRig, times: number): Promise<void> {
  const { railOrderId } = await gpoOf(rig).createQrCode(qrOf('q', MANY));
  for (let scan = 0; scan < times; scan++) await actOn(rig, railOrderId ?? '', 'scan');
}

export const qrCases: AppyPayCase[] = [
  {
    name: 'a code for one payment is asked for at its own address, with the key of Multicaixa Express',
    async run(rig) {
      await gpoOf(rig).createQrCode(qrOf('q'));
      assert.equal(listApiCalls(rig).at(-1)?.path, '/v2.0/qr-codes');
      assert.ok(listApiCalls(rig).at(-1)?.body.includes('"amount":250.00,'));
      assert.deepEqual(lastBody(rig), {
        amount: 250,
        currency: 'AOA',
        merchantTransactionId: rig.connector.keyOf?.('q'),
        paymentMethod: fakeOf(rig).book.methods[0],
        description: 'Bilhete',
        qrCodeType: 'SINGLE',
      });
    },
  },
  {
    name: 'a code for many payments has bounds, and begins and ends with days of Luanda',
    async run(rig) {
      const late = { ...MANY, endDate: new Date('2026-03-04T23:30:00Z') };
      await gpoOf(rig).createQrCode(qrOf('q', late));
      const { qrCodeType, minAmount, maxTransactions, startDate, endDate } = lastBody(rig);
      assert.deepEqual([qrCodeType, minAmount, maxTransactions], ['MULTIPLE', 250, 20]);
      // 00:30 of the 5th in Luanda.
      assert.deepEqual([startDate, endDate], ['2026-03-02', '2026-03-05']);
      await gpoOf(rig).createQrCode(qrOf('r', { ...MANY, endDate: new Date('2026-03-04T23:00:00Z') }));
      assert.equal(lastBody(rig).endDate, '2026-03-04');
    },
  },
  {
    name: 'a code is its picture: a PNG, without text, link or end of the rail’s own',
    async run(rig) {
      const { result, content, deeplink, endsAt, scans, railOrderId } = await gpoOf(rig).createQrCode(qrOf('q'));
      assert.deepEqual([result, content], ['made', `data:image/png;base64,${PNG}`]);
      assert.deepEqual([deeplink, endsAt, scans], [null, null, []]);
      assert.equal(railOrderId, fakeOf(rig).book.qrCodes[0]?.id);
    },
  },
  {
    name: 'a picture of up to 200 KiB is read, one beyond is none',
    async run(rig) {
      const draw = (bytes: number) =>
        Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(bytes)]).toString('base64');
      fakeOf(rig).book.picture = draw(150_000);
      assert.equal((await gpoOf(rig).createQrCode(qrOf('q'))).result, 'made');
      fakeOf(rig).book.picture = draw(155_000);
      const large = await gpoOf(rig).createQrCode(qrOf('r'));
      assert.deepEqual([large.result, large.details.reason], ['unknown', 'content_unreadable']);
      fakeOf(rig).book.picture = draw(300_000);
      assert.equal((await gpoOf(rig).createQrCode(qrOf('s'))).details.reason, 'too_large');
    },
  },
  {
    name: 'what is no PNG is no picture: markup, another format, broken text',
    async run(rig) {
      const wrong = [Buffer.from('<svg onload=alert(1)>'), Buffer.from('GIF89a')].map((bytes) =>
        bytes.toString('base64'),
      );
      for (const [index, picture] of [...wrong, `${PNG}\n`, `${PNG.slice(0, -2)}"x`, ' '].entries()) {
        fakeOf(rig).book.picture = picture;
        const { result, content, details } = await gpoOf(rig).createQrCode(qrOf(`q${index}`));
        assert.deepEqual([result, content, details.reason], ['unknown', null, 'content_unreadable']);
      }
    },
  },
  {
    name: 'a description is required there: the reference stands in for one of which nothing is left',
    async run(rig) {
      await gpoOf(rig).createQrCode(qrOf('q', { description: '…' }));
      assert.equal(lastBody(rig).description, 'FT 1');
      await gpoOf(rig).createQrCode(qrOf('r', { description: '…', reference: '//' }));
      assert.equal(lastBody(rig).description, 'Pagamento');
    },
  },
  {
    name: 'a code that is refused is declined with its failure; a number nobody knows leaves it unknown',
    async run(rig) {
      const book = fakeOf(rig).book;
      book.plans.push({ code: 206 }, { code: 201 }, { code: 302 }, { code: 999 });
      const outcomes = [];
      for (const id of 'qrst') outcomes.push(await gpoOf(rig).createQrCode(qrOf(id)));
      assert.deepEqual(
        outcomes.map(({ result, failureCode }) => [result, failureCode]),
        [
          ['declined', 'acquirer_setup'],
          ['declined', 'issuer_refused'],
          ['unknown', null],
          ['unknown', null],
        ],
      );
    },
  },
  {
    name: 'a code whose answer was lost is never taken for made: nobody has its picture',
    async run(rig) {
      fakeOf(rig).fault('drop_after', CODES);
      const lost = await gpoOf(rig).createQrCode(qrOf('q'));
      assert.deepEqual([lost.result, lost.content], ['unknown', null]);
      const again = await gpoOf(rig).createQrCode(qrOf('q'));
      assert.deepEqual([again.result, again.content, again.details.reason], ['unknown', null, 'known_already']);
      const asked = await askScans(rig);
      assert.deepEqual([asked.result, asked.content], ['told', null]);
      assert.equal(fakeOf(rig).book.qrCodes.length, 1);
    },
  },
  {
    name: 'a code that was never asked for is not known to be absent: the list shows only payments',
    isUncertain: true,
    async run(rig) {
      const { result, scans } = await askScans(rig, 'never');
      assert.deepEqual([result, scans], ['told', []]);
    },
  },
  {
    name: 'without a token, or without the key of Multicaixa Express, a code is declined as badly set up',
    async run(rig) {
      const strangers = openChanged(rig, { secrets: { clientSecret: 'wrong' } }).gpo;
      const refused = await strangers.createQrCode(qrOf('q'));
      assert.deepEqual([refused.result, refused.details.reason], ['declined', 'token_refused']);
      const ummOnly = openChanged(rig, { settings: { methods: { umm: fakeOf(rig).book.methods[2] } } }).gpo;
      const missing = await ummOnly.createQrCode(qrOf('q'));
      assert.deepEqual([missing.failureCode, missing.details.reason], ['acquirer_setup', 'method_missing']);
      assert.equal(listApiCalls(rig).length, 0);
    },
  },
  {
    name: 'a server’s error, a timeout and no JSON leave a code unknown',
    async run(rig) {
      for (const fault of ['error_before', 'error_after', 'garbage', 'drop_before'] as const) {
        fakeOf(rig).fault(fault, CODES);
        assert.equal((await gpoOf(rig).createQrCode(qrOf(fault))).result, 'unknown');
      }
      fakeOf(rig).fault('hang', CODES);
      const made = await outwait(rig, () => gpoOf(rig).createQrCode(qrOf('q')));
      assert.equal(made.details.reason, 'timeout');
    },
  },
  {
    name: 'every approved charge under the code’s name is one scan',
    isUncertain: true,
    async run(rig) {
      await makeScanned(rig, 2);
      const { scans, result, content } = await askScans(rig);
      assert.deepEqual([result, content], ['told', null]);
      const ids = fakeOf(rig).book.charges.map(({ id }) => id);
      assert.deepEqual(
        scans.map(({ providerRef, amountMinor, currency, occurredAt }) => [
          providerRef,
          amountMinor,
          currency,
          occurredAt,
        ]),
        ids.map((id) => [id, 250_00, 'AOA', null]),
      );
      assert.equal(scans[0]?.details.railTime, '2026-03-02T09:00:00.0005991');
    },
  },
  {
    name: 'a payer may pay more than the code asks: told as it was taken',
    isUncertain: true,
    async run(rig) {
      await makeScanned(rig, 1);
      for (const charge of fakeOf(rig).book.charges) charge.amount = 300.5;
      assert.deepEqual(
        (await askScans(rig)).scans.map(({ amountMinor }) => amountMinor),
        [300_50],
      );
    },
  },
  {
    name: 'scans on further pages are read too, however short its pages are',
    async run(rig) {
      await makeScanned(rig, 5);
      fakeOf(rig).book.pageSize = 2;
      const { scans } = await askScans(rig);
      assert.equal(new Set(scans.map(({ providerRef }) => providerRef)).size, 5);
      assert.equal(scans.length, 5);
    },
  },
  {
    name: 'refused scans and charges of others are nothing',
    async run(rig) {
      await makeScanned(rig, 3);
      const [refused, other] = fakeOf(rig).book.charges;
      if (refused) refused.transactionEvents = [{ responseStatus: writeStatus(209) }];
      if (other) other.merchantTransactionId = 'somebodyelse001';
      assert.equal((await askScans(rig)).scans.length, 1);
    },
  },
  {
    name: 'a scan whose money cannot be read is missed by name, and the others are told',
    async run(rig) {
      await makeScanned(rig, 2);
      const [broken] = fakeOf(rig).book.charges;
      if (broken) broken.amount = '1.500,00';
      const { scans, details } = await askScans(rig);
      assert.deepEqual([scans.length, details.reason], [1, 'scan_unreadable']);
    },
  },
  {
    name: 'scans that were read before a page is lost are told',
    async run(rig) {
      await makeScanned(rig, 3);
      fakeOf(rig).book.pageSize = 2;
      const asking = askScans(rig);
      await until(() => listApiCalls(rig, 'GET').length > 0);
      fakeOf(rig).fault('error_before', { path: '/v2.0/charges' });
      const { scans, result, details } = await asking;
      assert.deepEqual([scans.length, result, details.reason], [2, 'unknown', 'rail_error']);
    },
  },
];

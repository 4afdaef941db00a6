// Today's figures: money received, a comparison, the outcomes of payments, and tasks that wait for a person.
import type { Summary } from '../../packages/client/src/contract.ts';
import { scaleBand, scaleLinear } from 'd3-scale';
import type { ScreenProps, ScreenLocation } from '../../shared/console.ts';
import { addDays, dayOf as dayIn, isDay, showDay } from '../../shared/luanda.ts';
import { ATTENTION_FLAGS } from '../../shared/status.ts';
import type { Screen } from '../layout.tsx';
import { Card, Head, Rows, Table, textsOf } from '../parts.tsx';
import { fill, findText, money } from '../words.ts';

const PATH = '/console/today';

type Page = { summary: Summary };
type Part = { page: ScreenProps<Page> };

const dayAsked = ({ query }: ScreenLocation) => (isDay(query['day'] ?? '') ? query['day'] : undefined);

export const today: Screen = {
  path: PATH,
  needs: 'readSummary',
  menu: { group: 'money', text: 'today.title', icon: 'chart' },
  live: ['payment', 'reference', 'refund'],
  reads(opened) {
    const day = dayAsked(opened);
    return { summary: { operation: 'readSummary', query: { ...(day && { day }) } } };
  },
  acts: {},
  render(page: ScreenProps<Page>) {
    const t = textsOf(page);
    const { day, failures, attention } = page.data.summary;
    const isToday = day === dayIn(page.now);
    const title = isToday ? t['today.title'] : showDay(day);
    const content = (
      <>
        <Head title={title}>
          <span class="days">
            <a href={`${PATH}?day=${addDays(day, -1)}`}>
              <span class="unseen">{t['today.before']}: </span>‹ {showDay(addDays(day, -1)).slice(0, 5)}
            </a>
            {!isToday && (
              <a href={`${PATH}?day=${addDays(day, 1)}`}>
                <span class="unseen">{t['today.after']}: </span>
                {showDay(addDays(day, 1)).slice(0, 5)} ›
              </a>
            )}
          </span>
        </Head>
        <Taken page={page} />
        <div data-live-part="attention">{attention.length > 0 && <Attention page={page} />}</div>
        <div class="halves">
          <Week page={page} />
          <Rate page={page} />
        </div>
        <Hours page={page} />
        <div data-live-part="failures">{failures.length > 0 && <Failures page={page} />}</div>
      </>
    );
    return { title, content };
  },
};

function Taken({ page }: Part) {
  const t = textsOf(page);
  const { taken, returned, currency } = page.data.summary;
  const times = { 0: t['today.times.none'], 1: t['today.times.one'] }[taken.count] ?? t['today.times'];
  return (
    <Card title={t['today.taken']} live="taken">
      <p class="amount huge">{money(taken.amount, currency)}</p>
      <p class="quiet">{fill(times, { n: taken.count })}</p>
      {returned.amount > 0 && (
        <p class="quiet">{fill(t['today.returned'], { amount: money(returned.amount, currency) })}</p>
      )}
    </Card>
  );
}

/** The screen for each waiting task. Every role may open these screens. */
const TASK_SCREENS: Record<string, string> = {
  ...Object.fromEntries(ATTENTION_FLAGS.map((flag) => [flag, `/console/payments?status=${flag}`])),
  settlement_differs: '/console/books?status=differs',
  payment_stuck: '/console/payments?status=Processing',
  endpoint_failing: '/console/developers',
};

function Attention({ page }: Part) {
  const t = textsOf(page);
  return (
    <Card title={t['today.attention']}>
      <ul class="plain-list">
        {page.data.summary.attention.map(({ kind, count }) => {
          const text = fill(findText(t, `attention.${kind}`) ?? kind, { n: count });
          const href = TASK_SCREENS[kind];
          return <li key={kind}>{href ? <a href={href}>{text}</a> : <span>{text}</span>}</li>;
        })}
      </ul>
    </Card>
  );
}

function Week({ page }: Part) {
  const t = textsOf(page);
  const { week, lastWeek, currency } = page.data.summary;
  const before = lastWeek.soFar.amount;
  const percent = before > 0 ? Math.round((100 * (week.taken.amount - before)) / before) : 0;
  const compared = percent > 0 ? t['today.week.more'] : t['today.week.less'];
  return (
    <Card title={t['today.week']} live="week">
      <p class="amount">{money(week.taken.amount, currency)}</p>
      {percent !== 0 && <p>{fill(compared, { percent: Math.abs(percent) })}</p>}
      <p class="small quiet">{fill(t['today.week.last'], { amount: money(before, currency) })}</p>
    </Card>
  );
}

function Rate({ page }: Part) {
  const t = textsOf(page);
  const { created, succeeded, open, successRate } = page.data.summary.payments;
  return (
    <Card title={t['today.payments']} live="rate">
      <p class="amount">{successRate === null ? created : `${Math.round(100 * successRate)} %`}</p>
      {created === 0 && <p class="small quiet">{t['today.none']}</p>}
      {successRate !== null && <p>{fill(t['today.rate'], { succeeded, over: created - open })}</p>}
      {open > 0 && <p class="small quiet">{fill(t['today.open'], { n: open })}</p>}
    </Card>
  );
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Failures({ page }: Part) {
  const t = textsOf(page);
  const { failures } = page.data.summary;
  return (
    <Card title={t['today.failures']}>
      <Rows
        rows={failures.map(({ failureCode, count }) => [
          capitalize(findText(t, `failure.${failureCode}`) ?? failureCode),
          count,
        ])}
      />
    </Card>
  );
}

const WIDTH = 336;
const HEIGHT = 132;
const FOOT = 18;
const TOP = 16;
const NAMED = [0, 6, 12, 18];

/** A bar chart of the received money by hour, and a table with the same figures. */
function Hours({ page }: Part) {
  const t = textsOf(page);
  const { hours, currency } = page.data.summary;
  const most = Math.max(...hours.map(({ amount }) => amount));
  if (most === 0) return <div data-live-part="hours" />;
  const x = scaleBand(
    hours.map(({ hour }) => hour),
    [0, WIDTH],
  ).padding(0.25);
  const y = scaleLinear([0, most], [0, HEIGHT - FOOT - TOP]);
  const took = hours.filter(({ count }) => count > 0);
  return (
    <Card title={t['today.hours']} live="hours">
      <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <text x="0" y="10">
          {money(most, currency)}
        </text>
        <path class="axis" d={`M0 ${TOP + 0.5}H${WIDTH}M0 ${HEIGHT - FOOT + 0.5}H${WIDTH}`} />
        {took.map(({ hour, amount }) => (
          <rect
            key={hour}
            x={x(hour)}
            y={HEIGHT - FOOT - y(amount)}
            width={x.bandwidth()}
            height={Math.max(1, y(amount))}
            rx="2"
          />
        ))}
        {NAMED.map((hour) => (
          <text key={hour} x={x(hour)} y={HEIGHT - 4}>
            {hour} h
          </text>
        ))}
      </svg>
      <details class="act">
        <summary>{t['today.hours.table']}</summary>
        <Table
          caption={t['today.hours']}
          rows={took}
          keyOf={({ hour }) => String(hour)}
          columns={[
            { title: t['today.hour'], cell: ({ hour }) => `${hour}–${hour + 1} h` },
            { title: t['today.amount'], cell: ({ amount }) => money(amount, currency), isNumber: true },
            { title: t['today.count'], cell: ({ count }) => count, isNumber: true },
          ]}
        />
      </details>
    </Card>
  );
}

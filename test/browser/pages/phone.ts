// A phone of the sandbox: its page, and approvals and refusals without the page.
import type { Page } from 'playwright';
import { expect } from '../../support/expect.ts';
import { until, type TestApp } from '../../support/app.ts';
import { BasePage } from './base.ts';

export class PhonePage extends BasePage {
  constructor(page: Page) {
    super(page);
  }

  async open(app: TestApp, number: string) {
    await this.page.goto(`${app.node.core.publicUrl}/sandbox/phone/${number}`);
  }

  /** The request that waits for this amount. */
  requestFor(amount: string) {
    return this.page.getByRole('article', { name: amount });
  }

  async approve(amount: string) {
    await this.requestFor(amount).getByRole('button', { name: 'Aprovar' }).click();
    await expect(this.requestFor(amount)).toHaveCount(0);
  }

  async decline(amount: string) {
    await this.requestFor(amount).getByRole('button', { name: 'Recusar' }).click();
    await expect(this.requestFor(amount)).toHaveCount(0);
  }
}

/** Starts above the last digits of numbers with a fixed role, such as PENDING_PHONE. */
let nth = 100;

/** A new number for each call, so that its pushes belong to one test. */
export function ownNumber(): string {
  return `92${String(Date.now() % 1000).padStart(3, '0')}${String(++nth).padStart(4, '0')}`;
}

/** Waits for a pending push of the number, and approves or declines it. */
export async function answerPush(app: TestApp, number: string, verdict: 'approve' | 'decline'): Promise<void> {
  const rail = `${app.url}/sandbox/rail`;
  const push = await until(async () => {
    const response = await fetch(`${rail}/phones/${number}/pushes`);
    const { data } = (await response.json()) as { data: { id: string; status: string }[] };
    return data.find(({ status }) => status === 'PENDING');
  }, `a push on ${number}`);
  const answer = await fetch(`${rail}/pushes/${push.id}/${verdict}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`push not answered: ${await answer.text()}`);
}

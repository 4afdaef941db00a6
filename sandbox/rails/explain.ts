// The text about a started fake: its address, and the commands that enter it at a sandbox as a rail account.
import { DEMO_CLIENT_ID } from '../../shared/sandbox.ts';
import { DEMO } from '../seed.ts';
import { FAKES, type FakeName, type RailFake } from './fakes.ts';

/** Commands for the demo merchant of a sandbox that was started without settings. */
export function explainFake(name: FakeName, { fake, accounts, notifyTo }: RailFake): string {
  const { title } = FAKES[name];
  const commands = accounts.map((account) => {
    const body = { connector: name, label: `${title} (pretended)`, environment: 'test', priority: 10, ...account };
    return `curl -s $U/api/merchants/${DEMO.merchantId}/rail-accounts -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  });
  const notify = `\n  The answer names a notificationUrl. To send notifications there:\n\nnode sandbox/rails/main.ts ${name} --notify <notificationUrl>\n`;
  return `
  ${title}, pretended, answers at ${fake.url}; opened in a browser, it lets you approve, refuse and pay.
  To have the demo merchant of a running sandbox (npm start) charge by it:

U=http://localhost:8080
TOKEN=$(curl -s -u ${DEMO_CLIENT_ID}:demo-secret -d grant_type=client_credentials $U/oauth/token | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
${commands.join('\n')}
${notifyTo ? notify : ''}`;
}

// The printed text about a started fake: its URL, and the commands that add it to a sandbox as a rail account.
import { DEMO_CLIENT_ID } from '../../shared/sandbox.ts';
import { DEMO } from '../seed.ts';
import { FAKES, type FakeName, type RailFake } from './fakes.ts';
import { READ_TOKEN } from '../../shared/docs.ts';

/** Returns the text about a started fake. Its commands are for the demo merchant of the sandbox at `gatewayUrl`. */
export function explainFake(name: FakeName, { fake, accounts, notifyTo }: RailFake, gatewayUrl: string): string {
  const { title } = FAKES[name];
  const commands = accounts.map((account) => {
    const body = { connector: name, label: `${title} (fake)`, environment: 'test', priority: 10, ...account };
    return `curl -s $U/api/merchants/${DEMO.merchantId}/rail-accounts -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  });
  const notify =
    '\n  The answer has a notificationUrl. To send notifications there:\n\n' +
    `node sandbox/rails/main.ts ${name} --notify <notificationUrl>\n`;
  const requestToken = `curl -s -u ${DEMO_CLIENT_ID}:demo-secret -d grant_type=client_credentials $U/oauth/token`;
  return `
  The fake of ${title} runs at ${fake.url}. Open it in a browser to approve, refuse and pay.
  To add it to the demo merchant of a running sandbox (npm start):

U=${gatewayUrl}
TOKEN=$(${requestToken} | ${READ_TOKEN})
${commands.join('\n')}
${notifyTo ? notify : ''}`;
}

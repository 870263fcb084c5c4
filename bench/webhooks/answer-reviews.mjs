// Answers reviews with a bundled function as upstream's webhooks do: one request per line of standard input, one response
// per line of standard output. It is plain JavaScript, because deployed functions do not load Node's type stripping either.
import { createInterface } from 'node:readline';

const [bundle, token] = process.argv.slice(2);
const { handler } = await import(bundle);
const context = { awsRequestId: 'bench', functionName: 'bench', getRemainingTimeInMillis: () => 30_000 };
// The function writes its log to standard output.
const answer = process.stdout.write.bind(process.stdout);
process.stdout.write = () => true;

for await (const line of createInterface({ input: process.stdin })) {
  const { path, body } = JSON.parse(line);
  const response = await handler(
    {
      version: '2.0',
      rawPath: `/${token}${path}`,
      rawQueryString: 'timeout=10s',
      headers: { 'content-type': 'application/json' },
      requestContext: { http: { method: 'POST' } },
      body,
      isBase64Encoded: false,
    },
    context,
  );
  answer(`${JSON.stringify({ code: response.statusCode, body: response.body })}\n`);
}

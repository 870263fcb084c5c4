// Started for each measurement, with a bundle and an event. Reports the times at which the bundle was loaded and its
// handler answered. It is plain JavaScript, because deployed functions do not load Node's type stripping either.
import { readFileSync, writeSync } from 'node:fs';

const [bundle, eventFile] = process.argv.slice(2);
const event = JSON.parse(readFileSync(eventFile, 'utf8'));
const now = () => performance.timeOrigin + performance.now();
const { handler } = await import(bundle);
const loadedAt = now();
const { batchItemFailures } = await handler(event, {
  awsRequestId: 'bench',
  functionName: 'bench',
  getRemainingTimeInMillis: () => 30_000,
});
const answeredAt = now();
writeSync(
  3,
  JSON.stringify({ loadedAt, answeredAt, refused: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) }),
);
process.exit(0);

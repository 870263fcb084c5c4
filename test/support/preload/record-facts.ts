// Loaded before the local run (`node --import`). It appends every fact that adapters publish to the file
// $CAPI_TEST_FACTS.
import { appendFileSync } from 'node:fs';
import { invocations, reconciles, requests } from '../../../shared/diagnostics/channels.ts';

const file = process.env['CAPI_TEST_FACTS'];

if (file !== undefined) {
  for (const [kind, channel] of Object.entries({ invocation: invocations, reconcile: reconciles, request: requests })) {
    channel.subscribe(fact => appendFileSync(file, `${JSON.stringify({ fact: kind, ...(fact as object) })}\n`)); // true: every fact is an object
  }
}

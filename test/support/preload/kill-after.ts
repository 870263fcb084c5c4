// Loaded before the local run (`node --import`): kills the process, as a crash would, at the n-th request that functions make.
// $CAPI_TEST_KILL is `<n>:<sent|answered>`: right after the request went out, or right after its answer came in.
import { type RequestFact, requestSent, requests } from '../../../shared/telemetry/channels.ts';

const [count, moment] = (process.env['CAPI_TEST_KILL'] ?? '').split(':');
/** The tool's own requests and the forwarder's watches are not requests of functions. */
const notFunctions = ['local', 'watch-forwarder'];
let seen = 0;

if (count !== undefined && count !== '') {
  (moment === 'sent' ? requestSent : requests).subscribe(message => {
    const { client } = message as RequestFact; // both channels carry requests
    seen += notFunctions.includes(client) ? 0 : 1;
    if (seen === Number(count)) {
      process.kill(process.pid, 'SIGKILL');
    }
  });
}

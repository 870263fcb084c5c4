// Loaded before the local run (`node --import`). It kills the process, like a crash, at request n of the functions.
// $CAPI_TEST_KILL is `<n>:<sent|answered>`: after the request was sent, or after its answer was received.
import { type RequestFact, requestSent, requests } from '../../../shared/diagnostics/channels.ts';

const [count, moment] = (process.env['CAPI_TEST_KILL'] ?? '').split(':');
/** The requests of the tool itself and the forwarder's watches are not requests of functions. */
const notFunctions = ['local', 'watch-forwarder'];
let seen = 0;

if (count !== undefined && count !== '') {
  (moment === 'sent' ? requestSent : requests).subscribe(message => {
    const { client } = message as RequestFact; // true: both channels contain requests
    seen += notFunctions.includes(client) ? 0 : 1;
    if (seen === Number(count)) {
      process.kill(process.pid, 'SIGKILL');
    }
  });
}

// `npm run test:providers`. If this machine has no network namespaces, the suite is skipped with the reason.
import { runSuiteInOwnNetwork } from '../support/suite-in-own-network.ts';

process.exitCode = await runSuiteInOwnNetwork('providers');

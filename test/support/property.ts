// Property tests with reproducible random values. CAPI_SEED selects other values. A failure prints its seed and path.
// Set these as CAPI_SEED and CAPI_PATH to repeat the test.
import fc from 'fast-check';

/** The source of all random values of a test. */
export const seed = Number(process.env['CAPI_SEED'] ?? '20261121');

const path = process.env['CAPI_PATH'];

fc.configureGlobal({ seed, ...(path === undefined ? {} : { path }) });

export { fc };

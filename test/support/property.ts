// Property tests with reproducible random values. CAPI_SEED selects other values. A failure prints its seed and path, to be set
// as CAPI_SEED and CAPI_PATH.
import fc from 'fast-check';

/** The source of all random values of a test. */
export const seed = Number(process.env['CAPI_SEED'] ?? '20261121');

const path = process.env['CAPI_PATH'];

fc.configureGlobal({ seed, ...(path === undefined ? {} : { path }) });

export { fc };

// Properties that are tried with random values, the same ones each time: what passed yesterday passes today. Another
// CAPI_SEED looks elsewhere. What fails prints its seed and path: CAPI_SEED and CAPI_PATH begin with it.
import fc from 'fast-check';

/** Where all random values of a test come from. */
export const seed = Number(process.env['CAPI_SEED'] ?? '20261121');

const path = process.env['CAPI_PATH'];

fc.configureGlobal({ seed, ...(path === undefined ? {} : { path }) });

export { fc };

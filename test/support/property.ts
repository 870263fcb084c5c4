// Properties that are tried with random values, the same ones each time: what passed yesterday passes today. Another
// CAPI_SEED looks elsewhere; what fails is repeated by its CAPI_SEED.
import fc from 'fast-check';

/** Where all random values of a test come from. */
export const seed = Number(process.env['CAPI_SEED'] ?? '20261121');

fc.configureGlobal({ seed });

export { fc };

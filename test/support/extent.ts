// How many inputs the long properties generate: all with CAPI_TEST_EXTENT=full, as in `.ci/run`; otherwise a fifth.
const isFull = process.env['CAPI_TEST_EXTENT'] === 'full';

export function generated(all: number): number {
  return isFull ? all : Math.ceil(all / 5);
}

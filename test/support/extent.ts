// How much the long tests try: everything with CAPI_TEST_EXTENT=full, as in `.ci/run`; otherwise a part, as in `npm test`.

export const isFull = process.env['CAPI_TEST_EXTENT'] === 'full';

/** How many inputs a long property generates. Otherwise a fifth. */
export function generated(all: number): number {
  return isFull ? all : Math.ceil(all / 5);
}

import { expect, it } from 'vitest';
import { revisionOf } from '../../../../shared/machine-collections/revision-number.ts';

it.each([
  { text: undefined, value: 0n },
  { text: '7', value: 7n },
  { text: '+7', value: 7n },
  { text: '-7', value: -7n },
  { text: '9223372036854775807', value: 9_223_372_036_854_775_807n },
  { text: '-9223372036854775808', value: -9_223_372_036_854_775_808n },
  { text: '9223372036854775808', error: 'strconv.ParseInt: parsing "9223372036854775808": value out of range' },
  { text: '-9223372036854775809', error: 'strconv.ParseInt: parsing "-9223372036854775809": value out of range' },
  { text: '', error: 'strconv.ParseInt: parsing "": invalid syntax' },
  { text: '1x', error: 'strconv.ParseInt: parsing "1x": invalid syntax' },
  { text: 'x1', error: 'strconv.ParseInt: parsing "x1": invalid syntax' },
])('the revision $text', ({ text, value, error }) => {
  const annotations = text === undefined ? undefined : { 'machinedeployment.clusters.x-k8s.io/revision': text };
  const metadata = annotations === undefined ? {} : { annotations };
  expect(revisionOf({ metadata })).toEqual(error === undefined ? { ok: true, value } : { ok: false, error });
});

// PEM of tenants: keys and certificates with defects, unusual labels, and long bodies.
import { parseTemplate, renderTemplate } from '@capi-serverless/go-template';
import { certificatesIn, privateKeyIn } from '../../../shared/certificates/pem-limits.ts';
import { countWork } from '../../support/counted-work.ts';
import { fc } from '../../support/property.ts';
import type { FuzzedParser } from '../parser.ts';

const canary = 'c4n4ry';
const label = fc.constantFrom(
  'CERTIFICATE',
  'PRIVATE KEY',
  'RSA PRIVATE KEY',
  'EC PRIVATE KEY',
  'DSA PRIVATE KEY',
  'X',
  '',
);
const sequence = (content: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from([0x30, 0x82, content.length >> 8, content.length & 0xff]), content]);
const der = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc.uint8Array({ maxLength: 400 }).map(sequence),
  fc
    .tuple(
      fc.constantFrom('06092a864886f70d010101', '06072a8648ce380401', '06032b6570', '06072a8648ce3d0201'),
      fc.uint8Array({ maxLength: 600 }),
    )
    .map(([identifier, key]) =>
      sequence(Buffer.concat([Buffer.from([2, 1, 0]), sequence(Buffer.from(identifier, 'hex')), sequence(key)])),
    ),
);
const block = fc
  .tuple(label, label, der, fc.constantFrom('\n', '\r\n', '', ' '), fc.nat({ max: 40 }))
  .map(([begin, end, bytes, gap, repeated]) => {
    const body = Buffer.from(bytes).toString('base64');
    return `-----BEGIN ${begin}-----${gap}${body}${gap.repeat(repeated)}-----END ${repeated % 3 === 0 ? end : begin}-----${gap}`;
  });
const text = fc
  .tuple(
    fc.array(fc.oneof(block, fc.constantFrom('-----', '-----BEGIN ', canary)), { maxLength: 12 }),
    fc.nat({ max: 20 }),
  )
  .map(([parts, times]) => parts.join('').repeat(1 + times));

const build = parseTemplate('{{ $x := buildCustomCert (b64enc .t) (b64enc .t) }}', {
  name: 't',
  functions: 'sprig',
  missingKey: 'default',
});

/** Each character of a body may be scanned once for each of the blocks that begin before it, which are few. */
const scannedPerCharacter = 40;

function check(given: string): void {
  const { scanned } = countWork(() => {
    for (const read of [certificatesIn, privateKeyIn]) {
      const found = read(given);
      if (!found.ok && found.error.includes(canary)) {
        throw new Error(`the error quotes the text: ${found.error}`);
      }
    }
    if (build.ok) {
      renderTemplate(build.value, { t: given });
    }
  });
  if (scanned > scannedPerCharacter * given.length + 20_000) {
    throw new Error(`${given.length} characters are scanned as ${scanned}`);
  }
}

export const parser: FuzzedParser = { name: 'certificates', property: fc.property(text, check) };

// Checks the address ranges in the network of a Cluster.

import { type FieldError, invalidValue } from '@capi-serverless/apimachinery';
import { isAddress } from '@capi-serverless/apimachinery/text-formats';
import * as z from 'zod/mini';
import { listOf, section } from '../api/fields.ts';

const ranges = section({ cidrBlocks: listOf(z.string()) });
const network = section({ clusterNetwork: section({ pods: ranges, services: ranges }) });

export function problemsOfNetwork(spec: unknown): readonly FieldError[] {
  const { pods, services } = network.parse(spec).clusterNetwork;
  const check = (name: 'pods' | 'services', blocks: readonly string[]) =>
    blocks.flatMap((block, index) =>
      isRange(block)
        ? []
        : [invalidValue(`spec.clusterNetwork.${name}.cidrBlocks[${index}]`, block, `invalid CIDR address: ${block}`)],
    );
  return [...check('pods', pods.cidrBlocks), ...check('services', services.cidrBlocks)];
}

/** An address without leading zeros, and a prefix length. */
function isRange(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const longest = address.includes(':') ? 128 : 32;
  return rest.length === 0 && isAddress(address) && /^\d+$/.test(prefix) && Number(prefix) <= longest;
}

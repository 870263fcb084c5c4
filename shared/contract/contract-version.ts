// Which provider contract a kind follows, and in which API version to read it: both stand in labels of its CRD.
import type { Checked } from '../api/checked.ts';

/** Supported contract versions, newest first. */
export const contractVersions = ['v1beta2', 'v1beta1'] as const;

export type ContractVersion = (typeof contractVersions)[number];

export interface Contract {
  readonly contract: ContractVersion;
  /** The API version of the provider's kind. */
  readonly version: string;
}

/** The newest contract whose label is there and not empty, with the greatest version it lists. */
export function chooseContract(crd: {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}): Checked<Contract> {
  throw new Error(`not written: ${crd}`);
}

/** Negative when `a` is older. GA > beta > alpha, then by number; what is no version is oldest. */
export function compareKubernetesVersions(a: string, b: string): number {
  throw new Error(`not written: ${a} ${b}`);
}

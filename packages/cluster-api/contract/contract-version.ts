// Determines the provider contract of a kind and the API version for reads, from the labels of its CRD.
import { type Checked, compareApiVersions, invalid, valid } from '@capi-serverless/apimachinery';

/** The supported contract versions, newest first. */
export const contractVersions = ['v1beta2', 'v1beta1'] as const;

export type ContractVersion = (typeof contractVersions)[number];

export interface Contract {
  readonly contract: ContractVersion;
  /** The API version of the provider's kind. */
  readonly version: string;
}

/** Returns the newest contract with a non-empty label, and the greatest version in this label. */
export function chooseContract(crd: {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}): Checked<Contract> {
  for (const contract of contractVersions) {
    const label = crd.labels?.[`cluster.x-k8s.io/${contract}`] ?? '';
    if (label !== '') {
      const version = label.split('_').reduce((a, b) => (compareApiVersions(a, b) < 0 ? b : a));
      return valid({ contract, version });
    }
  }
  const wanted = contractVersions.map(contract => JSON.stringify(contract)).join(' ');
  return invalid(
    `cannot find any versions matching contract versions [${wanted}] for CRD ${crd.name} as contract version label(s) are either missing or empty (see https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview.html#api-version-labels)`,
  );
}

/** Returns the newest contract whose label lists this version. */
export function contractOfVersion(
  crd: { readonly name: string; readonly labels?: Readonly<Record<string, string>> },
  version: string,
): Checked<ContractVersion> {
  const contract = contractVersions.find(each =>
    (crd.labels?.[`cluster.x-k8s.io/${each}`] ?? '').split('_').includes(version),
  );
  return contract === undefined
    ? invalid(`cannot find any contract version matching version ${version} for CRD ${crd.name}`)
    : valid(contract);
}

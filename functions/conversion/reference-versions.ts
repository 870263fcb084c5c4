// The versions in which objects of an older version refer to kinds of providers. The stored version has no version in its
// references. Upstream reads it from the CRD of the kind. This function reaches no API server, so it is a setting.
import { toApiVersion, valid } from '@capi-serverless/apimachinery';
import { ConfigError } from '../../shared/config/env.ts';
import type { ApiVersionOf } from '../../shared/conversion/conversion.ts';

/** The newest contract. Its version is used for kinds that the setting does not name. */
const usualVersion = 'v1beta2';
const setting = 'CAPI_REFERENCE_VERSIONS';

/** `<group>=<version>`, or `<Kind>.<group>=<version>` for one kind. */
const entry = /^((?:[A-Z][A-Za-z0-9]*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?)=(v[0-9]+(?:(?:alpha|beta)[0-9]+)?)$/;

/** The entry of a kind has precedence over that of its group. Throws ConfigError. */
export function parseReferenceVersions(entries: readonly string[]): ApiVersionOf {
  const versions = new Map(
    entries.map(text => {
      const [, name, , version] = entry.exec(text) ?? [];
      if (name === undefined || version === undefined) {
        throw new ConfigError(`${setting}: "${text}" is neither <group>=<version> nor <Kind>.<group>=<version>`);
      }
      return [name, version];
    }),
  );
  return (group, kind) => {
    const version = versions.get(`${kind}.${group}`) ?? versions.get(group) ?? usualVersion;
    return valid(toApiVersion({ group, version }));
  };
}

// Writes dist/sbom.cdx.json: a CycloneDX list of the packages whose code is in dist/, from npm's own list of all.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const inside = new Set(
  [...readFileSync('dist/THIRD-PARTY.md', 'utf8').matchAll(/^## (\S+) (\S+): /gm)].map(
    ([, name, version]) => `${name}@${version}`,
  ),
)
const sbom = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  }),
)
const kept = new Set([sbom.metadata.component['bom-ref'], ...inside])
sbom.metadata.component.name = 'jb-filters'
sbom.components = sbom.components
  .filter((part) => inside.has(part['bom-ref']))
  .map(({ scope, ...part }) => ({
    ...part,
    properties: part.properties?.filter(({ name }) => !/:(development|path)$/.test(name)),
  }))
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
const missing = [...inside].filter((one) => !sbom.components.some((part) => part['bom-ref'] === one))
if (missing.length > 0) throw new Error(`not in package-lock.json: ${missing.join(', ')}`)
writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(sbom, null, 2)}\n`)

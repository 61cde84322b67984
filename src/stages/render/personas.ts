/** `--personas`: the judge's persona for each criterion, as the judge `persona` wrote it. */
import { criterionKey } from '../../criteria/_criterion.ts'
import { objectsOf } from '../../files/objects.ts'
import { readText } from '../../files/text.ts'
import { type Criterion, configError, EXIT, type Json, RowFailure } from '../../rows/record.ts'

/** Personas by {@link criterionKey}, from rows of the judge `persona`. @throws Fatal (configuration) */
export async function readPersonas(path: string): Promise<ReadonlyMap<string, Json>> {
  const personas = new Map<string, Json>()
  for (const { object } of await objectsOf(readText(path, EXIT.config), path, EXIT.config)) {
    const { jb } = object as { jb?: { criterion?: Criterion; verdict?: { items?: Json[] } } }
    const persona = jb?.verdict?.items?.[0]
    if (!jb?.criterion || persona === undefined) continue
    for (const one of [jb.criterion, { ...jb.criterion, options: [] }])
      personas.set(criterionKey(one), persona)
  }
  if (personas.size === 0)
    throw configError(
      `--personas ${path}: no persona in it (make them with jb-render persona … | jb-call | jb-parse)`,
    )
  return personas
}

export function personaFor(criterion: Criterion, personas: ReadonlyMap<string, Json>, path: string): Json {
  const persona = personas.get(criterionKey(criterion))
  if (persona === undefined)
    throw new RowFailure('missing_field', `${path} has no persona for criterion "${criterion.name}"`)
  return persona
}

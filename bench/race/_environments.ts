/** Where contestants of a race are installed: an environment each, made once, in `.race/`. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

export const HOME = resolve('.race')

export interface Packages {
  /** Packages from PyPI, from npm, or from crates.io. */
  pip?: string[]
  /** Packages from PyPI without what they depend on. */
  alone?: string[]
  npm?: string[]
  cargo?: string[]
}

/** Makes a contestant's environment where there is none. @returns whether it is there */
export function installed(name: string, { pip, alone, npm, cargo }: Packages): boolean {
  const place = `${HOME}/${name}`
  if (existsSync(`${place}/.done`) || !(pip || npm || cargo)) return true
  mkdirSync(place, { recursive: true })
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  try {
    if (pip) {
      execFileSync('python3', ['-m', 'venv', place])
      for (const packages of [pip, ...(alone ? [['--no-deps', ...alone]] : [])])
        execFileSync(`${place}/bin/pip`, ['-q', 'install', ...packages], { stdio: [...stdio] })
    } else if (npm) execFileSync('npm', ['i', '--silent', '--prefix', place, ...npm], { stdio: 'ignore' })
    else
      execFileSync('cargo', ['install', '--quiet', '--locked', '--root', place, ...cargo!], {
        stdio: [...stdio],
      })
  } catch (error) {
    console.log(`  (${name} is not here, and could not be installed: ${(error as Error).message})`)
    return false
  }
  writeFileSync(`${place}/.done`, '')
  return true
}

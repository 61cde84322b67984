/** A real browser for tests of the page: Chromium, where the machine has one. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Path of a Chromium: of CHROMIUM in the environment, or on PATH; undefined where there is none. */
export function chromiumPath(): string | undefined {
  const found = (path: string) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  }
  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = [
    process.env.CHROMIUM ?? '',
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
  ]
  return candidates.find((path) => path !== '' && found(path))
}

/** Starts it, without a window. */
export async function launch(path: string): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  // As root, as containers run it, it has no sandbox of its own.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath: path, args })
}

interface Watched {
  page: Page
  /** What must not be: errors, policy reports, requests, dialogs. */
  complaints: string[]
}

/** A page that notes whatever goes wrong in it, and every request that leaves the file. */
export async function watched(
  browser: Browser,
  options: { width?: number; height?: number; dark?: boolean; address: string },
): Promise<Watched> {
  const { width = 1280, height = 800, dark = false, address } = options
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    acceptDownloads: true,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`console ${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    dialog.dismiss().catch(() => {})
  })
  page.on('request', (request) => {
    if (!/^(file|blob|data):/.test(request.url())) complaints.push(`request: ${request.url()}`)
  })
  await page.goto(address)
  await page.waitForSelector('html[data-ready]')
  return { page, complaints }
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
)

// demoSiteTarget is the site that the build of the demo is for.
const demoSiteTarget = "https://docs.shop.example"

// demoSite writes the build of the demo beside the outputs and audits it with the flags f
// (demoFlags).
func demoSite(ctx context.Context, std stdio, f *auditFlags) error {
	f.Site.Dir = path.Join(filepath.ToSlash(f.Out), "build")
	if err := writeBuild(f.Site.Dir); err != nil {
		return cli.WithHint(fmt.Errorf("the build of the demo cannot be written: %w", err),
			"run it in a folder that you may write to")
	}
	f.Targets, f.Fresh = []string{demoSiteTarget}, true
	return f.run(ctx, std, job.Env{NoProxy: true})
}

// writeBuild writes the build of the demo to a folder. Existing files stay, because the user may
// have changed them.
func writeBuild(dir string) error {
	build, err := fs.Sub(demoFiles, "demo/build")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(build, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return root.MkdirAll(name, 0o777)
		}
		text, err := fs.ReadFile(build, name)
		if err != nil {
			return err
		}
		to, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		if err != nil {
			return err
		}
		_, err = to.Write(text)
		return errors.Join(err, to.Close())
	})
}

package audit

// Where answers are drawn by lot, as by several servers of which one lacks pages or redirects, some of
// the edits that rest on them answer every reader alike by chance. So where waverAt edits of a kind or
// more vary, and those are one in waverShare of the kind, none of it is made. Where fewer vary, as a
// home page alone does that redirects by language, the others were all asked, and are edited.
const (
	waverAt    = 2
	waverShare = 10
)

// A wavering counts the edits of a kind, those that varied among them, and of these those that the
// robot itself got another answer for (HeldUnsteady).
type wavering struct{ edits, varied, unsteady int }

// waverKind is the kind of edit of a row, whether it is merged or not.
func (r *Row) waverKind() readKind { return readKind{at: r.readAt(), verdict: r.Verdict} }

// waver counts a row that would be edited, or is not as it varies.
func (s *surveying) waver(r *Row) {
	kind, varied := r.waverKind(), r.Has(Varies) || r.Fix.Stop == HeldUnsteady
	switch {
	case r.turned:
		kind.verdict, varied = NotFound, true
	case r.Fix.Action == Keep && !varied || r.Verdict == Invalid:
		return
	}
	if s.kinds == nil {
		s.kinds = map[readKind]wavering{}
	}
	n := s.kinds[kind]
	if n.edits++; varied {
		n.varied++
	}
	if r.Fix.Stop == HeldUnsteady {
		n.unsteady++
	}
	s.kinds[kind] = n
}

// wavered leaves in evaluation.wavers the kinds of which none is edited.
func (s *surveying) wavered() {
	for kind, n := range s.kinds {
		if (!s.t.rules.Lift[Varies] || n.unsteady > 0) && n.varied >= waverAt && n.varied*waverShare >= n.edits {
			if s.t.wavers == nil {
				s.t.wavers = map[readKind]bool{}
			}
			s.t.wavers[kind] = n.unsteady > 0
		}
	}
	s.kinds = nil
}

// holdWavering keeps a row that would be edited as others were that vary. Where the robot itself got
// another answer for some of these, no reader is the reason.
func (t *evaluation) holdWavering(r *Row) {
	unsteady, ok := t.wavers[r.waverKind()]
	switch {
	case !ok || r.Verdict == Invalid || r.Fix.Action == Keep && !(unsteady && r.Has(Varies)):
		return
	case unsteady:
		r.hold(HeldUnsteady)
		return
	}
	if r.note(Varies); r.Fix.Action == Drop {
		r.hold(Varies)
	} else {
		r.stop(Varies, t.rules)
	}
	r.Fix.Why = Why{Key: whyWavers}
}
